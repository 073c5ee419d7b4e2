namespace Geo;

/// <summary>
/// What replicas of coordination-free grains keep, and what a session over them may rely on (Anna, ICDE 2018, Table I; Bailis et al.,
/// Highly available transactions, 2013). None of them needs one order of all updates.
/// </summary>
/// <remarks>
/// A level is a composition of parts, and includes another where it has all of that one's: simple eventual is in all, the three first
/// session levels in <see cref="Pram"/>, that and <see cref="WritesFollowReads"/> in <see cref="Causal"/>, and each level of transactions
/// in the next. Lost updates and write skew are possible at all of them.
/// </remarks>
public enum ConsistencyLevel
{
    /// <summary>
    /// Replicas that have received the same updates are in the same state, and every update comes to every one that lives.
    /// </summary>
    SimpleEventual,

    /// <summary>A session's read sees what its earlier reads of the grain have seen.</summary>
    MonotonicReads,

    /// <summary>A session's read sees what the session has written to the grain.</summary>
    ReadYourWrites,

    /// <summary>A replica that shows an update shows those that its session had made before, to whatever grains.</summary>
    MonotonicWrites,

    /// <summary>A replica that shows an update shows what its session had read before, of whatever grains.</summary>
    WritesFollowReads,

    /// <summary>
    /// The first three session levels together, for a reader that moves too: who has seen an update sees those that its session had made
    /// before.
    /// </summary>
    Pram,

    /// <summary>
    /// Who has seen an update sees all that can have caused it: what its session had made and read before, and what had caused that.
    /// </summary>
    Causal,

    /// <summary>Of two transactions that write the same registers, one comes before the other in all of them.</summary>
    ReadUncommitted,

    /// <summary>Also, nobody reads what a transaction aborts, nor what it goes on to overwrite.</summary>
    ReadCommitted,

    /// <summary>Also, what a transaction reads twice is the same, but for its own writes.</summary>
    ItemCut,
}
