namespace Geo.Directory;

/// <summary>
/// What one silo has lately done to where single-instance grains are, for tools to show: in memory, and gone with the silo. Nothing that
/// the directory decides depends on it, and no call of a grain that is where it was writes into it.
/// </summary>
/// <param name="local">The silo's cluster.</param>
/// <param name="capacity">The most moves; the oldest gives way.</param>
/// <param name="time">The clock.</param>
internal sealed class MoveJournal(ClusterId local, int capacity, TimeProvider time)
{
    // What an operator gives as a reason may be of any length.
    private const int LongestReason = 300;

    private readonly Journal<GrainMove> _moves = new(capacity);

    /// <summary>How many moves have given way to later ones.</summary>
    public long Forgotten => _moves.Forgotten;

    /// <summary>A silo of this cluster.</summary>
    public GrainPlace Here(string? silo) => new(local, silo);

    /// <summary>Remembers a move.</summary>
    /// <param name="key">The grain.</param>
    /// <param name="kind">What happened.</param>
    /// <param name="from">Where the instance was.</param>
    /// <param name="to">Where it is from now on.</param>
    /// <param name="why">Why; beyond 300 characters it is cut off.</param>
    /// <param name="at">When; now by default.</param>
    public void Note(GrainKey key, MoveKind kind, GrainPlace from, GrainPlace to, string why, DateTimeOffset? at = null) =>
        _moves.Note(new(at ?? time.GetUtcNow(), key, kind, from, to, Shortened(why)));

    /// <summary>Remembers that a duplicate has ended for the sake of the cluster that its row names.</summary>
    public void NoteGaveWay(GrainKey key, GsiEntry yielding) => Note(
        key, MoveKind.GaveWay, Here(yielding.Node), new(yielding.Owner, yielding.OwnerNode),
        "It was a duplicate: that cluster has the grain.");

    /// <summary>The newest moves, the last one first.</summary>
    /// <param name="most">How many at most.</param>
    /// <param name="key">Of this grain; of any when null.</param>
    public IReadOnlyList<GrainMove> Newest(int most, GrainKey? key) =>
        _moves.Newest(most, key is { } asked ? move => move.Key == asked : null);

    private static string Shortened(string why) => why.Length <= LongestReason ? why
        : string.Concat(why.AsSpan(0, char.IsHighSurrogate(why[LongestReason - 1]) ? LongestReason - 1 : LongestReason), "...");
}
