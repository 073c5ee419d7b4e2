namespace Geo.Messaging;

/// <summary>
/// The bulk lanes beside a lane, which are opened when there are large messages, as many as the budget of bytes in flight calls for, or as
/// what waits can use on a fast path, and closed when they have carried none for a while. They are opened together, because the kernel lets
/// each connection grow by its own use alone. The dialling side opens and closes them; the accepting side asks it to open them.
/// </summary>
internal sealed class BulkLanes(
    LinkContext link, LaneId lane, LargeOutbox outbox, LargeInbox inbox, IPieceSink sink, Action cannotOpen)
{
    // What one connection carries at once when the kernel lets a send buffer grow to 4 MB, as most do.
    private const long BytesInFlightPerLane = 3 * 1024 * 1024;

    private readonly Lock _lock = new();
    private readonly List<int> _opening = [];
    private BulkLane[] _lanes = [];
    private int _wantedThere;
    private int _asked;
    private bool _ended;

    public int Most { get; } = link.Terms.Plan.BulkLanesOf(lane);

    public int Count => Volatile.Read(ref _lanes).Count(each => each.IsOpen);

    public static int CountFor(long bytesInFlight, int most) =>
        (int)Math.Clamp((bytesInFlight + BytesInFlightPerLane - 1) / BytesInFlightPerLane, 1, most);

    /// <summary>Adds a connection that both sides have taken into use.</summary>
    /// <returns>Ends with it; null when the link has ended, or has this lane already.</returns>
    public Task? TryAdd(LaneId id, IWireConnection wire)
    {
        var added = new BulkLane(link, wire, outbox, inbox, sink, OnChanged, id);
        lock (_lock)
        {
            if (_ended || id.Number > Most || Array.Exists(_lanes, other => other.Id == id && other.HoldsNumber))
            {
                return null;
            }

            _lanes = [.. _lanes, added];
        }

        added.Start();
        return added.Over;
    }

    /// <summary>The accepting side asks for so many.</summary>
    public void Want(ulong lanes)
    {
        lock (_lock)
        {
            _wantedThere = (int)Math.Min(lanes, (ulong)Most);
        }

        Open();
    }

    /// <summary>Sees to it that there are as many as large messages need now.</summary>
    public void Open()
    {
        if (Most == 0)
        {
            return;
        }

        var wanted = CountFor(Math.Max(link.Budget.Bytes, Math.Min(outbox.Bytes, link.Budget.BytesOfFastPath)), Most);
        int[] missing = [];
        lock (_lock)
        {
            wanted = Math.Max(wanted, _wantedThere);
            // Those that are being closed count too: a remote that says goodbye and hangs up late gets no further ones meanwhile.
            var toCome = Math.Min(wanted - Count, Most - _lanes.Length) - _opening.Count;
            if (_ended || toCome <= 0 || (link.OpenLane is null && _asked >= wanted))
            {
                return;
            }

            _asked = wanted;
            if (link.OpenLane is not null)
            {
                missing = [.. Enumerable.Range(1, Most).Where(IsFree).Take(toCome)];
                _opening.AddRange(missing);
            }
        }

        if (link.OpenLane is null)
        {
            sink.Tell(FrameKind.OpenLanes, (ulong)wanted);
            return;
        }

        foreach (var number in missing)
        {
            // Not within this call: it may be a user's, on a scheduler that is held up, or a receive loop's.
            ThreadPool.UnsafeQueueUserWorkItem(
                static opened => _ = opened.Lanes.OpenAsync(opened.Id), (Lanes: this, Id: lane with { Number = number }),
                preferLocal: false);
        }
    }

    /// <summary>Probes them, asks again for those that have not come, and closes those that have carried nothing for a while.</summary>
    public void Probe(bool judge, bool repliesAreFull)
    {
        var closesIdle = link.OpenLane is not null && !outbox.IsBusy;
        foreach (var each in Volatile.Read(ref _lanes))
        {
            each.Probe(judge, repliesAreFull);
            if (closesIdle && each.IsOpen && each.IdleTime >= link.Node.Options.BulkLaneIdleTime)
            {
                Volatile.Write(ref _wantedThere, 0);
                each.Close();
            }
        }

        lock (_lock)
        {
            _asked = Count;
        }

        if (outbox.IsBusy || Volatile.Read(ref _wantedThere) > 0)
        {
            Open();
        }
    }

    public void End()
    {
        BulkLane[] lanes;
        lock (_lock)
        {
            _ended = true;
            lanes = _lanes;
        }

        Array.ForEach(lanes, each => each.End());
    }

    private bool IsFree(int number) =>
        !_opening.Contains(number) && !Array.Exists(_lanes, each => each.Id.Number == number && each.HoldsNumber);

    // One is being closed, or is closed: what it left, or what came meanwhile, needs another.
    private void OnChanged(BulkLane changed)
    {
        lock (_lock)
        {
            _asked = Count;
            if (changed.Over.IsCompleted)
            {
                _lanes = [.. _lanes.Where(each => each != changed)];
            }
        }

        if (outbox.IsBusy || Volatile.Read(ref _wantedThere) > 0)
        {
            Open();
        }
    }

    private async Task OpenAsync(LaneId id)
    {
        try
        {
            var wire = await link.OpenLane!(id);
            if (TryAdd(id, wire) is null)
            {
                wire.Dispose();
            }
        }
#pragma warning disable CA1031 // The link does without: what is sent goes on over the lanes that there are.
        catch (Exception e)
#pragma warning restore CA1031
        {
            MessagingLog.BulkLaneNotOpened(link.Node.Logger, id.ToString(), link.Remote.Peer, e.Message);
            if (Count == 0)
            {
                // The pieces must go another way.
                sink.Tell(FrameKind.OpenLanes, 0);
                cannotOpen();
            }

            // Not at once again: what refused it now will refuse it in a moment.
            await Task.Delay(link.Node.Options.MaxReconnectDelay, link.Node.Time);
        }
        finally
        {
            lock (_lock)
            {
                _opening.Remove(id.Number);
            }
        }
    }
}
