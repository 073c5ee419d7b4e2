namespace Geo.Directory;

/// <summary>
/// The row of one silo in its cluster's row store: the silo renews it while it lives, and others fence it off when it is dead.
/// </summary>
internal sealed record LeaseRow
{
    /// <summary>The prefix of these rows in the store; the rest of a row's key is the silo's name.</summary>
    public const string Prefix = "silo-lease/";

    private const byte Version = 3;

    // No silo has a longer lease: who fences it off waits for it.
    private static readonly TimeSpan LongestDuration = TimeSpan.FromDays(1);

    /// <summary>True once others have fenced the silo off: it never holds a lease again.</summary>
    public bool IsFenced { get; init; }

    /// <summary>
    /// How long the silo relies on a renewal. Whoever fences it off waits by this and not by its own setting, which may be another one. Of
    /// a fence: how long to wait from when it is found.
    /// </summary>
    public TimeSpan Duration { get; init; }

    /// <summary>When the row was written, by the writer's clock.</summary>
    public DateTimeOffset WrittenAt { get; init; }

    /// <summary>The clusters that the silo knows, as <see cref="ClusterList"/> writes them.</summary>
    public string Clusters { get; init; } = "";

    /// <summary>
    /// The version of the live configuration that the silo has processed; 0 where its clusters are those of its settings.
    /// </summary>
    public long Configuration { get; init; }

    public static string KeyOf(string node) => Prefix + node;

    public static string NodeOf(string key) => key[Prefix.Length..];

    /// <summary>The row as it was read; null where there is none.</summary>
    /// <param name="read">A read that was answered.</param>
    /// <param name="unreadable">What stands in the place of a row that nobody here can read, which must not let a silo serve.</param>
    public static LeaseRow? Of(StoreRead read, LeaseRow unreadable)
    {
        if (read.Outcome == StoreReadOutcome.NotFound)
        {
            return null;
        }

        try
        {
            return Decode(read.Value.Span);
        }
        catch (GeoSerializationException)
        {
            return unreadable;
        }
    }

    public static LeaseRow Decode(ReadOnlySpan<byte> row)
    {
        var reader = new PayloadReader(row);
        if (reader.ReadByte() is var version && version != Version)
        {
            throw new GeoSerializationException(
                $"A lease row has format {version}; this version of Geo reads format {Version}. Do not mix versions in one row store.");
        }

        var ticks = (IsFenced: reader.ReadByte() != 0, Duration: reader.ReadSigned(), WrittenAt: reader.ReadSigned());
        if (ticks.Duration <= 0 || ticks.Duration > LongestDuration.Ticks
            || ticks.WrittenAt < 0 || ticks.WrittenAt > DateTimeOffset.MaxValue.UtcTicks)
        {
            throw new GeoSerializationException("A lease row holds what no silo wrote; the row is damaged.");
        }

        return new LeaseRow
        {
            IsFenced = ticks.IsFenced,
            Duration = new TimeSpan(ticks.Duration),
            WrittenAt = new DateTimeOffset(ticks.WrittenAt, TimeSpan.Zero),
            Clusters = reader.ReadRequiredText(),
            Configuration = reader.ReadSigned(),
        };
    }

    public byte[] Encode()
    {
        var writer = new PayloadWriter();
        writer.WriteByte(Version);
        writer.WriteByte(IsFenced ? (byte)1 : (byte)0);
        writer.WriteSigned(Duration.Ticks);
        writer.WriteSigned(WrittenAt.UtcTicks);
        writer.WriteText(Clusters);
        writer.WriteSigned(Configuration);
        return writer.ToArray();
    }
}
