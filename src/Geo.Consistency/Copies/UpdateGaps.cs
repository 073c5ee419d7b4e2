namespace Geo.Consistency;

/// <summary>Which of an instance's updates are, or may be, in no version, though later ones are.</summary>
/// <param name="First">The number of the first one that was taken out; 0 for none.</param>
/// <param name="Newest">The newest number of which nobody can say whether it stands for one that was taken out, too.</param>
internal readonly record struct UpdateGaps(long First, long Newest)
{
    internal bool Contains(long number) => First <= number && number <= Newest;

    /// <summary>These and others of the same instance, with all that is between them.</summary>
    internal UpdateGaps With(UpdateGaps other) =>
        Newest == 0 ? other : other.Newest == 0 ? this : new(Math.Min(First, other.First), Math.Max(Newest, other.Newest));

    internal void Write(PayloadWriter writer)
    {
        writer.WriteUnsigned((ulong)Newest);
        if (Newest > 0)
        {
            writer.WriteUnsigned((ulong)First);
        }
    }

    /// <exception cref="GeoSerializationException">The bytes are cut off, or no gaps.</exception>
    internal static UpdateGaps Read(ref PayloadReader reader)
    {
        var newest = reader.ReadUnsigned();
        if (newest == 0)
        {
            return default;
        }

        var first = reader.ReadUnsigned();
        return newest <= long.MaxValue && first > 0 && first <= newest
            ? new((long)first, (long)newest)
            : throw new GeoSerializationException($"Updates from number {first} to {newest} cannot be missing; the bytes were damaged.");
    }
}
