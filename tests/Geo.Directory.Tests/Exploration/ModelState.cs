namespace Geo.Directory.Tests;

/// <summary>
/// A state of the model in 64 bits: for each cluster its entry, how many rounds it has begun, and which replies exist to which round.
/// </summary>
internal readonly struct ModelState(ulong bits)
{
    private const int EntryBits = 4;
    private const int CounterBits = 2;
    private const int KindsPerReply = 3;

    public ulong Bits { get; } = bits;

    public static int BitsPerCluster(int clusters, int rounds) => EntryBits + CounterBits + ((clusters - 1) * rounds * KindsPerReply);

    public static bool Fits(int clusters, int rounds) => rounds < 1 << CounterBits && clusters * BitsPerCluster(clusters, rounds) <= 64;

    public int Entry(int offset) => (int)(Bits >> offset) & 0xf;

    public ModelState WithEntry(int offset, int code) => new((Bits & ~(0xful << offset)) | ((ulong)code << offset));

    public int Rounds(int offset) => (int)(Bits >> (offset + EntryBits)) & 0x3;

    public ModelState WithOneMoreRound(int offset) => new(Bits + (1ul << (offset + EntryBits)));

    /// <summary>Whether a reply of a kind exists. A reply, once sent, may arrive at any later time, or never, or several times.</summary>
    public bool HasReply(int offset, int slot, GsiReplyKind kind) => (Bits >> ReplyBit(offset, slot, kind) & 1) != 0;

    public ModelState WithReply(int offset, int slot, GsiReplyKind kind) => new(Bits | (1ul << ReplyBit(offset, slot, kind)));

    private static int ReplyBit(int offset, int slot, GsiReplyKind kind) =>
        offset + EntryBits + CounterBits + (slot * KindsPerReply) + (kind switch
        {
            GsiReplyKind.Pass => 0,
            GsiReplyKind.Fail => 1,
            GsiReplyKind.InstanceAt => 2,
            _ => throw new ArgumentOutOfRangeException(nameof(kind)),
        });
}
