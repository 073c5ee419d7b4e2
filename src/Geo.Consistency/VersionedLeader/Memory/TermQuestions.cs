namespace Geo.Consistency;

/// <summary>The questions of one term; they end when it has begun, or all have answered, or not in time.</summary>
internal sealed class TermQuestions(ReplicaMemory memory, ReplicaMemories silo, Ask ask, UpdateConfirmation confirmation)
{
    private readonly Lock _gate = new();
    private readonly Completion<bool> _end = new(CancellationToken.None);
    private readonly List<ClusterId> _silent = [];
    private int _left;

    /// <summary>True when the answers are not waited for, because the term would not name who waits for it.</summary>
    internal bool AreAskedAnew { get; private set; }

    /// <summary>Ends the wait for answers.</summary>
    internal void AskAnew()
    {
        AreAskedAnew = true;
        _end.TrySetResult(true);
    }

    /// <summary>Asks all other clusters at once; gives those that did not answer.</summary>
    internal async Task<IReadOnlyList<ClusterId>> AskAsync()
    {
        var replica = memory.Replica;
        var asked = replica.Candidacy?.Configuration.Asked.Where(c => c != replica.Cluster).ToArray() ?? [];
        if (asked.Length > 0)
        {
            _left = asked.Length;
            var question = ElectionCodec.Write(ask);
            foreach (var cluster in asked)
            {
                _ = AskOneAsync(cluster, question);
            }

            await _end.Task;
        }

        lock (_gate)
        {
            return [.. _silent];
        }
    }

    private async Task AskOneAsync(ClusterId cluster, byte[] question)
    {
        var isAnswered = false;
        try
        {
            var reply = await memory.RequestAsync(cluster, question);
            if (silo.TryRead(memory.Key, cluster, reply, ElectionCodec.ReadAnswer) is { } answer)
            {
                memory.Change(r => (LeaderElection.Take(r, cluster, ask.Term, answer, confirmation), r));
                isAnswered = true;
            }
        }
        catch (Exception e) when (e is GeoException or OperationCanceledException)
        {
            // The silo has lost its lease, or stops.
        }

        bool wasLast;
        lock (_gate)
        {
            if (!isAnswered)
            {
                _silent.Add(cluster);
            }

            wasLast = --_left == 0;
        }

        if (wasLast || memory.Replica.Candidacy?.Term != ask.Term)
        {
            _end.TrySetResult(true);
        }
    }
}
