namespace Geo.Testing;

/// <summary>A set of small numbers, as words that can be copied and compared.</summary>
internal sealed class BitWords(int size)
{
    private readonly ulong[] _words = new ulong[(size + 63) / 64];

    public Span<ulong> Words => _words;

    public bool this[int bit]
    {
        get => (_words[bit / 64] & (1UL << bit)) != 0;
        set => _words[bit / 64] = value ? _words[bit / 64] | (1UL << bit) : _words[bit / 64] & ~(1UL << bit);
    }

    public static bool IsWithin(ReadOnlySpan<ulong> few, ReadOnlySpan<ulong> many)
    {
        for (var i = 0; i < few.Length; i++)
        {
            if ((few[i] & ~many[i]) != 0)
            {
                return false;
            }
        }

        return true;
    }
}
