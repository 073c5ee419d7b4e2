namespace Geo.Messaging;

/// <summary>
/// A link that a peer has begun to open, while its connections arrive. It keeps nobody else from opening one under that name.
/// </summary>
internal sealed class Reservation
{
    private readonly Lock _lock = new();
    private readonly LinkContext _link;
    private readonly OpeningConnections _opening;
    private readonly LaneId[] _ids;
    private readonly IWireConnection[] _wires;
    private readonly Lane?[] _lanes;
    private readonly TaskCompletionSource _progress = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _over = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource<PeerLink?> _opened = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _missing;
    private bool _isOver;

    public Reservation(Hello hello, int version, NodeContext node, OpeningConnections opening)
    {
        _opening = opening;
        _link = new LinkContext(
            node, hello.From, new LinkTerms(hello.Link, hello.Plan, version, hello.MaxMessageBytes, hello.MaxGatheredBytes));
        _ids = hello.Plan.FirstLanes;
        _wires = new IWireConnection[_ids.Length];
        _lanes = new Lane?[_ids.Length];
        _missing = _ids.Length;
    }

    public PeerIdentity Remote => _link.Remote;

    public ulong Link => _link.Terms.Number;

    public int Connections => _ids.Length;

    /// <summary>True when the node may have so many connections more, but for those of the link that this one is to replace.</summary>
    public bool HasRoom(PeerLink? replaced) => _link.Account.Connections.HasRoom(Connections, replaced?.Connections ?? 0);

    /// <summary>Ends when all connections are there.</summary>
    public Task Complete => _progress.Task;

    /// <summary>Ends when the link has, or will never be.</summary>
    public Task Over => _over.Task;

    /// <summary>Ends with the link when it is in use, or with null when it never will be.</summary>
    public Task<PeerLink?> Opened => _opened.Task;

    /// <summary>True for a connection that is opened with the link; false for a bulk lane.</summary>
    public bool Awaits(LaneId id) => _ids.Contains(id);

    public void Open(PeerLink link) => _opened.TrySetResult(link);

    /// <summary>Adds a connection that the dialler has taken into use.</summary>
    /// <returns>False when the link does not have it, has it already, or is over.</returns>
    public bool TryAdd(LaneId id, IWireConnection wire)
    {
        lock (_lock)
        {
            var place = Array.IndexOf(_ids, id);
            if (_isOver || place < 0 || _lanes[place] is not null)
            {
                return false;
            }

            (_wires[place], _lanes[place]) = (wire, new Lane(_link, wire, id));
            if (--_missing == 0)
            {
                // The dialler has done its part: however late this node takes the link into use, none of them gives way any more.
                _opening.Remove(_wires);
                _progress.TrySetResult();
            }

            return true;
        }
    }

    public PeerLink ToLink() => new(_link, [.. _lanes.Select(lane => lane!)]);

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
