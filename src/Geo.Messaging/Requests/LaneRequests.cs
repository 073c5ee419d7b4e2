using System.Diagnostics.CodeAnalysis;

namespace Geo.Messaging;

/// <summary>The requests that a lane's users make, from their sending to their end.</summary>
[SuppressMessage("Design", "CA1001", Justification = "Closing, which always comes, disposes what it owns.")]
internal sealed class LaneRequests(LinkContext link, LaneId id, LaneSender sender, Action<ulong> givenUp)
{
    private readonly PendingRequests _pending = new(link.Node.Time, link.Requests, () => link.Remote.Peer.Name, givenUp);

    private PeerId Remote => link.Remote.Peer;

    /// <summary>Sends a request and waits for its end, as <see cref="MessagingNode"/> promises it.</summary>
    public ValueTask<ClusterReply> RequestAsync(
        string service, ReadOnlyMemory<byte> payload, PartitionKey key, TimeSpan timeout, CancellationToken cancellationToken)
    {
        if (TryRequest(service, payload, key, timeout, cancellationToken, out var end))
        {
            return end;
        }

        if (sender.WaitsForRoom)
        {
            return WaitToRequestAsync(service, payload, key, timeout, cancellationToken);
        }

        Drop(nameof(SendOutcome.Full));
        return new(ClusterReply.Refused($"the queue of {id} to {Remote} is full"));
    }

    /// <summary>Takes a request out, so that the caller ends it; null when it has been ended.</summary>
    public PendingRequest? Take(ulong number) => _pending.Take(number);

    /// <summary>Ends all requests, because the lane has ended, and takes no more.</summary>
    public void Close(string reason)
    {
        _pending.Close(request => sender.WasTaken(request.Position)
            ? ClusterReply.Unknown($"the link to {Remote} broke while the request was in flight: {reason}")
            : ClusterReply.Refused($"the link to {Remote} broke before the request was sent: {reason}"));
        _pending.Dispose();
    }

    // False when the queue is full; else the request has its end, good or bad.
    private bool TryRequest(
        string service, ReadOnlyMemory<byte> payload, PartitionKey key, TimeSpan timeout, CancellationToken cancellationToken,
        out ValueTask<ClusterReply> end)
    {
        if (payload.Length > sender.MaxBytes)
        {
            Drop(nameof(SendOutcome.TooLarge));
            end = new(
                ClusterReply.Refused(
                    $"a request of {payload.Length} bytes to {Remote} is larger than MaxMessageBytes ({sender.MaxBytes}) allows"));
            return true;
        }

        if (_pending.TryAdd(timeout) is not { } request)
        {
            Drop("too-many-requests");
            end = new(ClusterReply.Refused(
                $"no request to {Remote} can be added: the link is down or {link.Node.Options.MaxPendingRequests} requests wait already"));
            return true;
        }

        end = request.End;
        var number = request.Number;
        switch (sender.TryRequest(number, service, payload, key, out var position, out var loan))
        {
            case SendOutcome.Queued:
                request.Position = position;
                request.Lend(loan);
                request.CancelWith(cancellationToken);
                return true;
            case SendOutcome.Full:
                _pending.Withdraw(number);
                return false;
            default:
                _pending.Take(number)?.Complete(ClusterReply.Refused($"the link to {Remote} is down"));
                return true;
        }
    }

    // Rare, so it may cost what it costs: the lane is full, and its channel says that requests wait for room within their time-out.
    private async ValueTask<ClusterReply> WaitToRequestAsync(
        string service, ReadOnlyMemory<byte> payload, PartitionKey key, TimeSpan timeout, CancellationToken cancellationToken)
    {
        var time = link.Node.Time;
        var started = time.GetTimestamp();
        for (var left = timeout; left > TimeSpan.Zero; left = timeout - time.GetElapsedTime(started))
        {
            var room = sender.WhenRoomAsync();
            if (TryRequest(service, payload, key, left, cancellationToken, out var end))
            {
                return await end;
            }

            await ((Task)room).WaitAsync(left, time, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            cancellationToken.ThrowIfCancellationRequested();
            if (!room.IsCompleted)
            {
                break;
            }
        }

        Drop(nameof(SendOutcome.Full));
        return ClusterReply.Refused($"the queue of {id} to {Remote} had no room for {timeout.TotalSeconds:0.###} s");
    }

    private void Drop(string reason) => link.Node.Metrics.Dropped(reason, link.Remote, id);
}
