namespace Geo.Testing;

/// <summary>Calls of sessions in the order in which replicas served them, and what became of transactions.</summary>
public sealed class LevelHistory
{
    private readonly List<LevelCall> _calls = [];
    private readonly HashSet<int> _aborted = [];

    /// <summary>The calls, the earliest first. Only those that took effect.</summary>
    public IReadOnlyList<LevelCall> Calls => _calls;

    /// <summary>Adds a call.</summary>
    public void Add(LevelCall call) => _calls.Add(call);

    /// <summary>A transaction was aborted.</summary>
    public void Abort(int transaction) => _aborted.Add(transaction);

    /// <summary>A transaction has ended, and its writes have other stamps than those that it saw.</summary>
    /// <param name="transaction">The transaction.</param>
    /// <param name="stamped">Gives each of its writes as it became.</param>
    public void Commit(int transaction, Func<LevelCall, LevelCall> stamped)
    {
        ArgumentNullException.ThrowIfNull(stamped);
        for (var i = 0; i < _calls.Count; i++)
        {
            if (_calls[i].Transaction == transaction && _calls[i].Kind == LevelCallKind.Write)
            {
                _calls[i] = stamped(_calls[i]);
            }
        }
    }

    /// <summary>True when it was aborted.</summary>
    public bool IsAborted(int transaction) => _aborted.Contains(transaction);
}
