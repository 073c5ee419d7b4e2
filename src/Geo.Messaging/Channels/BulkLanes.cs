namespace Geo.Messaging;

/// <summary>
/// The bulk lanes beside a lane, which are opened when there are large messages, as many as the budget of bytes in flight calls for. The
/// dialling side opens them; the accepting side asks it to.
/// </summary>
/// <param name="link">The link's.</param>
/// <param name="lane">The lane.</param>
/// <param name="outbox">What they send.</param>
/// <param name="inbox">What takes what they receive.</param>
/// <param name="sink">The lane, as seen from here.</param>
/// <param name="cannotOpen">Called when none could be opened: the pieces must go another way.</param>
internal sealed class BulkLanes(
    LinkContext link, LaneId lane, LargeOutbox outbox, LargeInbox inbox, IPieceSink sink, Action cannotOpen)
{
    // What one connection carries at once when the kernel lets a send buffer grow to 4 MB, as most do.
    private const long BytesInFlightPerLane = 3 * 1024 * 1024;

    private readonly Lock _lock = new();
    private BulkLane[] _open = [];
    private int _opening;
    private int _wantedThere;
    private int _asked;
    private bool _ended;

    /// <summary>How many there may be.</summary>
    public int Most { get; } = link.Terms.Plan.BulkLanesOf(lane);

    /// <summary>How many are open.</summary>
    public int Count => Volatile.Read(ref _open).Length;

    /// <summary>How many bulk lanes carry so many bytes at once.</summary>
    public static int CountFor(long bytesInFlight, int most) =>
        (int)Math.Clamp((bytesInFlight + BytesInFlightPerLane - 1) / BytesInFlightPerLane, 1, most);

    /// <summary>Adds a connection that both sides have taken into use.</summary>
    /// <returns>False when the link has ended, or has this lane already.</returns>
    public bool TryAdd(LaneId id, IWireConnection wire)
    {
        var added = new BulkLane(link, wire, outbox, inbox, sink, id);
        lock (_lock)
        {
            if (_ended || id.Number > Most || Array.Exists(_open, other => other.Id == id))
            {
                return false;
            }

            _open = [.. _open, added];
        }

        added.Start();
        return true;
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

        var wanted = CountFor(link.Budget.Bytes, Most);
        List<LaneId> missing = [];
        lock (_lock)
        {
            wanted = Math.Max(wanted, _wantedThere);
            if (_ended || _open.Length + _opening >= wanted || (link.OpenLane is null && _asked >= wanted))
            {
                return;
            }

            _asked = wanted;
            if (link.OpenLane is not null)
            {
                missing.AddRange(
                    Enumerable.Range(_open.Length + _opening + 1, wanted - _open.Length - _opening)
                        .Select(number => lane with { Number = number }));
                _opening += missing.Count;
            }
        }

        if (link.OpenLane is null)
        {
            sink.Tell(FrameKind.OpenLanes, (ulong)wanted);
            return;
        }

        missing.ForEach(id => _ = OpenAsync(id));
    }

    /// <summary>Probes them, and asks again for those that have not come.</summary>
    public void Probe(bool judge)
    {
        foreach (var each in Volatile.Read(ref _open))
        {
            each.Probe(judge);
        }

        lock (_lock)
        {
            _asked = _open.Length;
        }
    }

    /// <summary>Closes the connections.</summary>
    public void End()
    {
        BulkLane[] open;
        lock (_lock)
        {
            _ended = true;
            open = _open;
        }

        Array.ForEach(open, each => each.End());
    }

    private async Task OpenAsync(LaneId id)
    {
        try
        {
            var wire = await link.OpenLane!(id);
            if (!TryAdd(id, wire))
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
                _opening--;
            }
        }
    }
}
