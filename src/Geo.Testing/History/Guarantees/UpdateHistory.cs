namespace Geo.Testing;

/// <summary>A history of updates and reads, with what each session knew when it called.</summary>
internal sealed class UpdateHistory
{
    private readonly Dictionary<long, SessionUpdate> _updates = [];
    private readonly Dictionary<(string Session, string Key), SessionKnowledge> _knowledge = [];

    /// <exception cref="ArgumentException">A session has two calls at one time, or two calls write one update.</exception>
    public UpdateHistory(IReadOnlyList<HistoryOperation<UpdateCall, SeenUpdates>> operations)
    {
        Operations = operations;
        foreach (var session in operations.Where(o => o.ReturnedAt is not null).GroupBy(o => o.Process))
        {
            if (session.Zip(session.Skip(1)).FirstOrDefault(p => p.Second.CalledAt < p.First.ReturnedAt) is { First: not null } pair)
            {
                throw new ArgumentException($"A session calls one after the other, but not '{session.Key}': {pair.First}, {pair.Second}.");
            }
        }

        foreach (var write in operations.Where(o => o.Operation.Kind == UpdateCallKind.Write))
        {
            if (!_updates.TryAdd(write.Operation.Update, new SessionUpdate(write)))
            {
                var other = _updates[write.Operation.Update].Write;
                throw new ArgumentException($"Two calls write update {write.Operation.Update}: {other}, {write}.");
            }
        }

        foreach (var (operation, isReturn) in Events)
        {
            Learn(operation, isReturn);
        }
    }

    public IReadOnlyList<HistoryOperation<UpdateCall, SeenUpdates>> Operations { get; }

    /// <summary>The calls and returns, in their order.</summary>
    public IEnumerable<(HistoryOperation<UpdateCall, SeenUpdates> Operation, bool IsReturn)> Events => Operations
        .Select(o => (At: o.CalledAt, Operation: o, IsReturn: false))
        .Concat(Operations.Where(o => o.ReturnedAt is not null).Select(o => (At: o.ReturnedAt!.Value, Operation: o, IsReturn: true)))
        .OrderBy(e => e.At).Select(e => (e.Operation, e.IsReturn));

    /// <summary>The reads that returned, in the order of their calls.</summary>
    public List<SessionRead> Reads { get; } = [];

    /// <summary>An object that has no final read.</summary>
    public string? WithoutFinalRead => Operations.Select(o => o.Key)
        .Except(Reads.Where(r => r.Read.Operation.Kind == UpdateCallKind.FinalRead).Select(r => r.Read.Key)).FirstOrDefault();

    public IEnumerable<SessionUpdate> Updates => _updates.Values;

    /// <summary>The call that wrote an update to an object; null when there is none, or it has failed.</summary>
    public SessionUpdate? Find(string key, long update) =>
        _updates.TryGetValue(update, out var written) && written.Write.Key == key ? written : null;

    public SessionKnowledge Of(string session, string key) =>
        _knowledge.TryGetValue((session, key), out var knowledge) ? knowledge : _knowledge[(session, key)] = new SessionKnowledge();

    private void Learn(HistoryOperation<UpdateCall, SeenUpdates> operation, bool isReturn)
    {
        var knowledge = Of(operation.Process, operation.Key);
        var isWrite = operation.Operation.Kind == UpdateCallKind.Write;
        if (!isReturn && isWrite)
        {
            var update = _updates[operation.Operation.Update];
            (update.Own, update.Known) = (knowledge.Own.Count, knowledge.Seen.Count);
        }
        else if (!isReturn && operation.ReturnedAt is not null)
        {
            Reads.Add(new SessionRead(operation) { Own = knowledge.Own.Count, Known = knowledge.Seen.Count });
        }
        else if (isReturn && isWrite)
        {
            knowledge.Own.Add(_updates[operation.Operation.Update]);
        }
        else if (isReturn)
        {
            knowledge.See(operation.Result!.Updates, number => Find(operation.Key, number));
        }
    }
}
