namespace Geo.Consistency;

/// <summary>
/// What the applied-table holds for an instance: the sequence number of its last decided update, and how the last group of them ended. A
/// batch ends with its first conditional group, and a decision with the first group that is refused, so that one mark is enough.
/// </summary>
/// <param name="LastSequence">The number.</param>
/// <param name="IsRefused">True when the group was refused because its condition did not hold.</param>
/// <param name="IsUnwritable">True when it was refused because the state that it makes cannot be written.</param>
internal readonly record struct BatchNumber(long LastSequence, bool IsRefused, bool IsUnwritable = false)
{
    internal long Encoded => (LastSequence << 2) | (IsRefused ? 1L : 0L) | (IsUnwritable ? 2L : 0L);

    internal static BatchNumber Decode(long number) => new(number >> 2, (number & 1) != 0, (number & 2) != 0);
}
