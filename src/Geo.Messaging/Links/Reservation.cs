namespace Geo.Messaging;

/// <summary>The place held for a peer that dialled, while the connections of its link arrive.</summary>
internal sealed class Reservation(Hello hello, int version, LaneContext context)
{
    private readonly Lock _lock = new();
    private readonly LaneId[] _ids = hello.Plan.FirstLanes(version);
    private readonly Lane?[] _lanes = new Lane?[hello.Plan.FirstLanes(version).Length];
    private readonly TaskCompletionSource _progress = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _over = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource<PeerLink?> _opened = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _missing = hello.Plan.FirstLanes(version).Length;
    private bool _isOver;

    /// <summary>Who dialled.</summary>
    public PeerIdentity Remote => hello.From;

    /// <summary>The dialler's number for the link.</summary>
    public ulong Link => hello.Link;

    /// <summary>Ends when all connections are there.</summary>
    public Task Complete => _progress.Task;

    /// <summary>Ends when the link has, or will never be.</summary>
    public Task Over => _over.Task;

    /// <summary>Ends with the link when it is in use, or with null when it never will be.</summary>
    public Task<PeerLink?> Opened => _opened.Task;

    /// <summary>True for a connection that is opened with the link; false for a bulk lane.</summary>
    public bool Awaits(LaneId id) => _ids.Contains(id);

    /// <summary>The link is in use.</summary>
    public void Open(PeerLink link) => _opened.TrySetResult(link);

    /// <summary>Adds a connection that the dialler has taken into use.</summary>
    /// <returns>False when the link does not have it, has it already, or is over.</returns>
    public bool TryAdd(LaneId id, IWireConnection wire, int remoteMaxMessageBytes)
    {
        lock (_lock)
        {
            var place = Array.IndexOf(_ids, id);
            if (_isOver || place < 0 || _lanes[place] is not null)
            {
                return false;
            }

            _lanes[place] = new Lane(context, wire, Remote, id, version, remoteMaxMessageBytes);
            if (--_missing == 0)
            {
                _progress.TrySetResult();
            }

            return true;
        }
    }

    /// <summary>The link of all connections.</summary>
    public PeerLink ToLink() => new(
        Remote, new LinkTerms(hello.Link, hello.Plan, version, hello.MaxGatheredBytes), [.. _lanes.Select(lane => lane!)], context);

    /// <summary>Lets go of the connections.</summary>
    public void End()
    {
        Lane?[] lanes;
        lock (_lock)
        {
            _isOver = true;
            lanes = [.. _lanes];
        }

        foreach (var lane in lanes)
        {
            lane?.End("the link was not opened");
        }

        _progress.TrySetCanceled();
        _opened.TrySetResult(null);
        _over.TrySetResult();
    }
}
