namespace Geo.Consistency.Tests.Lattices.Kit;

/// <summary>
/// Choices that FsCheck has made, as numbers to draw: where fewer or smaller ones do, it finds them. After the last one the least is drawn.
/// </summary>
internal sealed class Choices(int[] choices) : Random
{
    // Odd, so that different choices stay different over the whole range of 64 bits.
    private const ulong Spread = 0x9E37_79B9_7F4A_7C15;

    private int _next;

    /// <summary>How many there are.</summary>
    internal int Count => choices.Length;

    /// <summary>True when none is left.</summary>
    internal bool IsOver => _next >= choices.Length;

    public override int Next() => Next(int.MaxValue);

    public override int Next(int maxValue) => Next(0, maxValue);

    public override int Next(int minValue, int maxValue) => (int)NextInt64(minValue, maxValue);

    public override long NextInt64(long maxValue) => NextInt64(0, maxValue);

    public override long NextInt64(long minValue, long maxValue) => unchecked(
        minValue + (long)(Draw((ulong)(maxValue - minValue)) % Math.Max(1, (ulong)(maxValue - minValue))));

    public override void NextBytes(byte[] buffer)
    {
        for (var i = 0; i < buffer.Length; i++)
        {
            buffer[i] = (byte)Next(256);
        }
    }

    private ulong Draw(ulong range)
    {
        var choice = IsOver ? 0 : (ulong)(uint)choices[_next++];
        return range > uint.MaxValue ? unchecked(choice * Spread) : choice;
    }
}
