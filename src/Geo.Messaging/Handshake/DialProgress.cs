namespace Geo.Messaging;

/// <summary>How the dialling of an address stands, for those who wait for it, the log and the metrics.</summary>
internal sealed class DialProgress(NodeContext context, Admission admission, PeerAddress address)
{
    private readonly Lock _lock = new();
    private readonly TaskCompletionSource _tried = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private volatile TaskCompletionSource<PeerId> _up = NewUp();
    private RefusalReason? _lastRefusal;
    private bool _failedBefore;

    /// <summary>Ends when an attempt has shown how things stand: the link is up, or was refused, or nobody was reached.</summary>
    public Task Tried => _tried.Task;

    /// <summary>Ends when the link is up; fails when a refusal shows that dialling on is in vain.</summary>
    public Task<PeerId> WhenUpAsync() => _up.Task;

    /// <summary>There is a link, though another dial may have made it.</summary>
    public void Up(PeerId peer)
    {
        (_failedBefore, _lastRefusal) = (false, null);
        lock (_lock)
        {
            _up = _up.Task.IsCompleted ? NewUp() : _up;
            _up.SetResult(peer);
        }

        _tried.TrySetResult();
    }

    public void Down()
    {
        lock (_lock)
        {
            _up = NewUp();
        }
    }

    public void Failed(string reason)
    {
        context.Metrics.Dialled("failed", address);
        if (_failedBefore)
        {
            MessagingLog.DialFailedAgain(context.Logger, address, reason);
        }
        else
        {
            MessagingLog.DialFailed(context.Logger, address, reason);
        }

        _failedBefore = true;
        _tried.TrySetResult();
    }

    /// <summary>An attempt has failed by a fault of this library.</summary>
    public void Broke(Exception error)
    {
        MessagingLog.OpeningFailed(context.Logger, error, address.ToString());
        _tried.TrySetResult();
    }

    public void Refused(Refusal refusal, bool byRemote)
    {
        context.Metrics.Dialled("refused", address);
        context.Metrics.Refused(refusal.Reason);

        // Dialling goes on, but the same refusal is told once.
        if (_lastRefusal != refusal.Reason)
        {
            _lastRefusal = refusal.Reason;
            admission.Report(new LinkRefusal(refusal.Reason, refusal.Message, address.ToString(), byRemote));
        }

        if (refusal.Reason is RefusalReason.WireVersion or RefusalReason.Malformed or RefusalReason.DuplicateClusterId
            or RefusalReason.WrongCluster or RefusalReason.Self or RefusalReason.Untrusted or RefusalReason.Unfit)
        {
            GiveUp(new GeoConfigurationException($"{address} cannot be joined: {refusal.Message}."));
        }

        _tried.TrySetResult();
    }

    public void Stopped()
    {
        GiveUp(new GeoUnavailableException($"The node stopped or left before {address} was reached."));
        _tried.TrySetResult();
    }

    private static TaskCompletionSource<PeerId> NewUp() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private void GiveUp(GeoException error)
    {
        lock (_lock)
        {
            _up.TrySetException(error);
            _ = _up.Task.Exception;
        }
    }
}
