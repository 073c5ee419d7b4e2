namespace Geo.Messaging;

/// <summary>
/// A link that a peer has begun to open, while its connections arrive. It keeps nobody else from opening one under that name.
/// </summary>
internal sealed class Reservation(Hello hello, int version, NodeContext node, OpeningConnections opening)
{
    private readonly Lock _lock = new();
    private readonly LinkContext _link = new(
        node, hello.From, new LinkTerms(hello.Link, hello.Plan, version, hello.MaxMessageBytes, hello.MaxGatheredBytes));

    private readonly LaneId[] _ids = hello.Plan.FirstLanes;
    private readonly Lane?[] _lanes = new Lane?[hello.Plan.FirstLanes.Length];
    private readonly List<IWireConnection> _wires = [];
    private readonly TaskCompletionSource _complete = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _over = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource<PeerLink?> _opened = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private bool _isOver;

    public PeerIdentity Remote => hello.From;

    public ulong Link => hello.Link;

    public int Connections => _ids.Length;

    /// <summary>True when the node may have so many connections more, but for those of the link that this one is to replace.</summary>
    public bool HasRoom(PeerLink? replaced) => _link.Account.Connections.HasRoom(Connections, replaced?.Connections ?? 0);

    public Task Complete => _complete.Task;

    public Task Over => _over.Task;

    /// <summary>Ends with the link when it is in use, or with null when it never will be.</summary>
    public Task<PeerLink?> Opened => _opened.Task;

    /// <summary>True for a connection that is opened with the link; false for a bulk lane.</summary>
    public bool Awaits(LaneId id) => _ids.Contains(id);

    public void Open(PeerLink link) => _opened.TrySetResult(link);

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

            _lanes[place] = new Lane(_link, wire, id);
            _wires.Add(wire);
            if (_wires.Count == _ids.Length)
            {
                // The dialler has done its part: however late this node takes the link into use, none of them gives way any more.
                opening.Remove([.. _wires]);
                _complete.TrySetResult();
            }

            return true;
        }
    }

    public bool Has(IWireConnection wire)
    {
        lock (_lock)
        {
            return _wires.Contains(wire);
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

        _complete.TrySetCanceled();
        _opened.TrySetResult(null);
        _over.TrySetResult();
    }
}
