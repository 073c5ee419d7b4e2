namespace Geo.Consistency;

/// <summary>
/// Tells a leader's log to the other clusters, each by messages of its own: one at a time, so that a slow one is told the newest only.
/// </summary>
internal sealed class AppendFeeds(ReplicaMemory memory, ReplicaMemories silo)
{
    private readonly Dictionary<ClusterId, AppendFeed> _feeds = [];
    private bool _wantsTerm;
    private int _termFailures;

    /// <summary>Begins to tell who lacks something, after a change of the memory.</summary>
    internal void Wake(LeaderReplica replica)
    {
        if (replica.Leadership is not { } leading)
        {
            return;
        }

        lock (_feeds)
        {
            foreach (var cluster in leading.Configuration.Clusters)
            {
                if (cluster != replica.Cluster && Feed(cluster) is { IsRunning: false } feed && Lacks(feed, replica))
                {
                    feed.IsRunning = true;
                    _ = silo.OnHome(() => RunAsync(feed));
                }
            }
        }
    }

    /// <summary>A cluster may have lost its memory: it is asked at once, even if it has acknowledged everything.</summary>
    internal void Probe(ClusterId cluster)
    {
        lock (_feeds)
        {
            Feed(cluster).MustProbe = true;
            Feed(cluster).Pause?.Cancel();
        }
    }

    /// <summary>A cluster has been told in a reply.</summary>
    internal void IsTold(ClusterId cluster, Append reply)
    {
        lock (_feeds)
        {
            Feed(cluster).Told = (reply.Term, reply.Step);
        }
    }

    private static bool Lacks(AppendFeed feed, LeaderReplica replica)
    {
        var leading = replica.Leadership!;
        return feed.MustProbe || !leading.Acks.TryGetValue(feed.To, out var ack) || ack.Step < replica.Log.Step || ack.Round < leading.Round
            || (feed.ToldConfirmed < replica.Confirmed && leading.Confirmation == UpdateConfirmation.Replicated
                && !leading.Configuration.IsPair);
    }

    private AppendFeed Feed(ClusterId to) => _feeds.TryGetValue(to, out var feed) ? feed : _feeds[to] = new(to);

    private async Task RunAsync(AppendFeed feed)
    {
        try
        {
            while (Next(feed) is { } append)
            {
                var reply = await memory.RequestAsync(feed.To, AppendCodec.Write(append));
                var answer = silo.TryRead(memory.Key, feed.To, reply, AppendCodec.ReadAnswer);
                if (!Take(feed, append, answer))
                {
                    await PauseAsync(feed);
                }
            }
        }
        catch
        {
            // Its silo has lost its lease, or stops: the next change wakes it, and what was not sent was not told.
            lock (_feeds)
            {
                (feed.IsRunning, feed.MustProbe, feed.Told) = (false, true, default);
            }

            throw;
        }
    }

    private Append? Next(AppendFeed feed)
    {
        lock (_feeds)
        {
            var replica = memory.Replica;
            if (memory.IsDropped || silo.Stopping.IsCancellationRequested || replica.Leadership is not { } leading || !Lacks(feed, replica))
            {
                feed.IsRunning = false;
                return null;
            }

            var append = LeaderDeciding.Tell(replica, feed.To, leading.Round, withLog: feed.Told != (replica.Led, replica.Log.Step));
            (feed.MustProbe, feed.Told, feed.ToldConfirmed) = (false, (replica.Led, replica.Log.Step), replica.Confirmed);
            return append;
        }
    }

    /// <summary>Takes what a cluster has answered, if it has; false when it is to be told again later.</summary>
    private bool Take(AppendFeed feed, Append append, AppendAnswer? answer)
    {
        if (answer?.Kind is AppendAnswerKind.Adopted or AppendAnswerKind.Behind)
        {
            lock (_feeds)
            {
                feed.Failures = 0;
                feed.Told = answer.Kind == AppendAnswerKind.Behind ? default : feed.Told;
            }

            memory.Change(r => (LeaderDeciding.Take(r, feed.To, append.Term, answer), r));
            if (feed.To == memory.Named)
            {
                memory.Moves.ReturnTo(feed.To);
            }

            return true;
        }

        lock (_feeds)
        {
            (feed.MustProbe, feed.Told) = (true, default);
            feed.Failures++;
        }

        var isNamed = answer is not null && memory.Change(r =>
        {
            var next = LeaderDeciding.Take(r, feed.To, append.Term, answer);
            return (next, next.Leadership?.Names.GetValueOrDefault(feed.To) == answer.Incarnation);
        }).Result && answer.Kind == AppendAnswerKind.Unseated;
        if (answer is not null && !isNamed)
        {
            WantTerm();
        }

        return isNamed;
    }

    /// <summary>A cluster cannot follow this term: it has promised a later one, or has no seat in it.</summary>
    internal void WantTerm()
    {
        lock (_feeds)
        {
            if (_wantsTerm)
            {
                return;
            }

            _wantsTerm = true;
        }

        _ = silo.OnHome(SeatAsync);
    }

    private async Task SeatAsync()
    {
        string? failure = "the silo could not ask";
        try
        {
            if (_termFailures > 0)
            {
                await silo.PauseAsync(_termFailures, CancellationToken.None);
            }

            failure = memory.Replica.Leadership is null || silo.Stopping.IsCancellationRequested ? null : await memory.LeadAsync();
        }
        finally
        {
            lock (_feeds)
            {
                _termFailures = failure is null ? 0 : _termFailures + 1;
                _wantsTerm = false;
                foreach (var feed in failure is null ? _feeds.Values : Enumerable.Empty<AppendFeed>())
                {
                    feed.Pause?.Cancel();
                }
            }
        }
    }

    private async Task PauseAsync(AppendFeed feed)
    {
        using var pause = new CancellationTokenSource();
        lock (_feeds)
        {
            feed.Pause = pause;
        }

        await silo.PauseAsync(feed.Failures, pause.Token);
        lock (_feeds)
        {
            feed.Pause = null;
        }
    }
}
