namespace Geo.Directory;

/// <summary>Something that happened to where a single-instance grain is, by the word of the silo that did it.</summary>
/// <param name="At">When, by that silo's clock.</param>
/// <param name="Key">The grain.</param>
/// <param name="Kind">What.</param>
/// <param name="From">Where its instance was before, as far as the silo knows.</param>
/// <param name="To">Where it is from then on.</param>
/// <param name="Why">Why, for people.</param>
internal readonly record struct GrainMove(DateTimeOffset At, GrainKey Key, MoveKind Kind, GrainPlace From, GrainPlace To, string Why)
{
    /// <exception cref="GeoSerializationException">The bytes are damaged, or of another version of Geo.</exception>
    public static GrainMove Read(ref PayloadReader from)
    {
        try
        {
            var (ticks, key, kind) = (from.ReadSigned(), GrainKey.Parse(from.ReadRequiredText()), (MoveKind)from.ReadByte());
            return Enum.IsDefined(kind)
                ? new(new(ticks, TimeSpan.Zero), key, kind, ReadPlace(ref from), ReadPlace(ref from), from.ReadRequiredText())
                : throw new GeoSerializationException($"A silo tells of a move of kind {(byte)kind}, which does not exist.");
        }
        catch (Exception e) when (e is ArgumentException or FormatException)
        {
            throw new GeoSerializationException($"A silo tells of a move that cannot be: {e.Message}", e);
        }
    }

    public void Write(PayloadWriter to)
    {
        to.WriteSigned(At.UtcTicks);
        to.WriteText(Key.ToString());
        to.WriteByte((byte)Kind);
        WritePlace(to, From);
        WritePlace(to, To);
        to.WriteText(Why);
    }

    private static GrainPlace ReadPlace(ref PayloadReader from) =>
        from.ReadText() is { } cluster ? new(new ClusterId(cluster), from.ReadText()) : default;

    private static void WritePlace(PayloadWriter to, GrainPlace place)
    {
        to.WriteText(place.Cluster.IsNone ? null : place.Cluster.Name);
        if (!place.Cluster.IsNone)
        {
            to.WriteText(place.Silo);
        }
    }
}
