namespace Geo.Consistency;

/// <summary>
/// What the applied-table holds for an instance: the sequence number of its last decided update, and whether that update's group was
/// refused because its condition did not hold. A batch ends with its first conditional group, so one such mark is enough.
/// </summary>
internal readonly record struct BatchNumber(long LastSequence, bool IsRefused)
{
    internal long Encoded => (LastSequence << 1) | (IsRefused ? 1L : 0L);

    internal static BatchNumber Decode(long number) => new(number >> 1, (number & 1) != 0);
}
