namespace Geo.Directory;

/// <summary>What the requests of other clusters and a round that this silo runs have to tell each other.</summary>
internal sealed class RunningRound(long id)
{
    private readonly HashSet<ClusterId> _replied = [];
    private readonly Lock _lock = new();
    private readonly TaskCompletionSource _settled = new();
    private readonly TaskCompletionSource _hopeless = new();
    private IReadOnlyList<ClusterId>? _asked;
    private ClusterId _winner;

    public long Id => id;

    /// <summary>Ends when the round is decided, or has lost.</summary>
    public Task Settled => _settled.Task;

    /// <summary>
    /// Ends when the round has lost and has the replies of all from whom it could learn who wins: the cluster that it has lost to and those
    /// with precedence over that one. Had their replies still been to come, they would say so (<see cref="RequestProcessing"/>); the
    /// others have lost to the same cluster, or will.
    /// </summary>
    public Task Hopeless => _hopeless.Task;

    /// <summary>The clusters are about to be asked.</summary>
    public void Asks(IReadOnlyList<ClusterId> clusters)
    {
        lock (_lock)
        {
            _asked = clusters;
        }

        EndIfHopeless();
    }

    /// <summary>A cluster has replied, or will not.</summary>
    public void ReplyFrom(ClusterId cluster)
    {
        lock (_lock)
        {
            _replied.Add(cluster);
        }

        EndIfHopeless();
    }

    /// <summary>A cluster with precedence asks for the grain.</summary>
    public void LoseTo(ClusterId cluster)
    {
        lock (_lock)
        {
            _winner = _winner.IsNone || GsiRules.HasPrecedence(cluster, _winner) ? cluster : _winner;
        }

        _settled.TrySetResult();
        EndIfHopeless();
    }

    public void End() => _settled.TrySetResult();

    private void EndIfHopeless()
    {
        lock (_lock)
        {
            if (_winner.IsNone || _asked is null || _asked.Any(c => !_replied.Contains(c) && !GsiRules.HasPrecedence(_winner, c)))
            {
                return;
            }
        }

        _hopeless.TrySetResult();
    }
}
