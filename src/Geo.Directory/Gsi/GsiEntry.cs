namespace Geo.Directory;

/// <summary>
/// A cluster's directory entry for one grain (GEO section 3.2), stored as one row. Every change of it is one conditional write.
/// </summary>
/// <remarks>
/// Beyond the paper, <see cref="GsiState.Requested"/> and <see cref="GsiState.Loser"/> may carry a local instance: a Doubtful entry whose
/// round is run again takes part in the arbitration of races like any other request, and its instance serves calls meanwhile.
/// </remarks>
internal sealed record GsiEntry
{
    private const byte Version = 2;

    /// <summary>The entry of a grain without a row.</summary>
    public static GsiEntry Invalid { get; } = new();

    /// <summary>The state.</summary>
    public GsiState State { get; init; }

    /// <summary>
    /// The node of the local instance, or of the instance to be created when the round succeeds; null for
    /// <see cref="GsiState.Invalid"/> and <see cref="GsiState.Cached"/>.
    /// </summary>
    public string? Node { get; init; }

    /// <summary>
    /// Names one tenancy of <see cref="Node"/>: drawn anew whenever an instance may be created, kept while rounds are run again. Grows with
    /// each tenancy of this cluster while the row stands, and with time.
    /// </summary>
    public long Epoch { get; init; }

    /// <summary>Names the round that led to this state; drawn anew for every round, so that a late answer or write is recognised.</summary>
    public long Round { get; init; }

    /// <summary>What the round was run on.</summary>
    public RoundBasis Basis { get; init; }

    /// <summary>When a round that has not ended, or a move that has not, may be regarded as abandoned.</summary>
    public DateTimeOffset Deadline { get; init; }

    /// <summary>
    /// For <see cref="GsiState.Requested"/> and <see cref="GsiState.Loser"/>: whether there is a local instance, from Doubtful times.
    /// </summary>
    public bool HasInstance { get; init; }

    /// <summary>
    /// The cluster that has the grain: for <see cref="GsiState.Cached"/> where the instance is, for <see cref="GsiState.Loser"/> for whom
    /// the local instance is being deactivated, for <see cref="GsiState.Owned"/> where it is about to move.
    /// </summary>
    public ClusterId Owner { get; init; }

    /// <summary>The instance's node there, its cluster's own word.</summary>
    public string? OwnerNode { get; init; }

    /// <summary>
    /// True when an instance may be running locally: <see cref="GsiState.Owned"/>, <see cref="GsiState.Doubtful"/>, or a Doubtful entry
    /// whose round is being run again.
    /// </summary>
    public bool MayRunHere => State is GsiState.Owned or GsiState.Doubtful || (HasInstance && !IsYielding);

    /// <summary>
    /// True while the local instance is being deactivated in favour of <see cref="Owner"/>: it must not be called or created any more.
    /// </summary>
    public bool IsYielding => State == GsiState.Loser && !Owner.IsNone;

    /// <summary>
    /// True while the local instance is being ended for another cluster to have the grain: it is the owner's still, and no silo of this
    /// cluster creates the next one.
    /// </summary>
    public bool IsLeaving(DateTimeOffset now) => State == GsiState.Owned && !Owner.IsNone && now < Deadline;

    /// <summary>
    /// True from when that instance has ended until the other cluster has the grain, or is known not to have taken it. No cluster has named
    /// its node by then, as who has a grain does.
    /// </summary>
    public bool IsLeft(DateTimeOffset now) => IsYielding && OwnerNode is null && now < Deadline;

    /// <summary>The bytes of the row.</summary>
    public byte[] Encode()
    {
        var writer = new PayloadWriter();
        writer.WriteByte(Version);
        writer.WriteByte((byte)State);
        writer.WriteText(Node);
        writer.WriteSigned(Epoch);
        writer.WriteSigned(Round);
        writer.WriteSigned(Basis.Incarnation);
        writer.WriteSigned(Basis.Configuration);
        writer.WriteSigned(Deadline.UtcTicks);
        writer.WriteByte(HasInstance ? (byte)1 : (byte)0);
        writer.WriteText(Owner.IsNone ? null : Owner.Name);
        writer.WriteText(OwnerNode);
        return writer.ToArray();
    }

    /// <summary>Reads the bytes of a row.</summary>
    /// <exception cref="GeoSerializationException">The bytes are damaged or were written by a later version of Geo.</exception>
    public static GsiEntry Decode(ReadOnlySpan<byte> row)
    {
        var reader = new PayloadReader(row);
        var version = reader.ReadByte();
        if (version != Version)
        {
            throw new GeoSerializationException(
                $"A directory row has format {version}; this version of Geo reads format {Version}. Do not mix versions in one row store.");
        }

        var state = (GsiState)reader.ReadByte();
        if (state is GsiState.Invalid || !Enum.IsDefined(state))
        {
            throw new GeoSerializationException($"A directory row has state {(byte)state}, which does not exist; the row is damaged.");
        }

        try
        {
            var entry = new GsiEntry
            {
                State = state,
                Node = reader.ReadText(),
                Epoch = reader.ReadSigned(),
                Round = reader.ReadSigned(),
                Basis = new RoundBasis(reader.ReadSigned(), reader.ReadSigned()),
                Deadline = new DateTimeOffset(reader.ReadSigned(), TimeSpan.Zero),
                HasInstance = reader.ReadByte() != 0,
                Owner = reader.ReadText() is { } owner ? new ClusterId(owner) : default,
                OwnerNode = reader.ReadText(),
            };
            return entry.Node is not null || state == GsiState.Cached ? entry
                : throw new GeoSerializationException($"A directory row in state {state} names no node; the row is damaged.");
        }
        catch (ArgumentException e)
        {
            throw new GeoSerializationException($"A directory row holds what no directory wrote; the row is damaged: {e.Message}", e);
        }
    }
}
