namespace Geo.Messaging;

/// <summary>Probes every link at the heartbeat interval, so that a dead one is found although nothing is sent on it.</summary>
internal sealed class HeartbeatTimer : IDisposable
{
    private readonly NodeContext _context;
    private readonly LinkTable _links;
    private readonly ITimer _timer;
    private long _lastBeat;

    public HeartbeatTimer(NodeContext context, LinkTable links)
    {
        (_context, _links, _lastBeat) = (context, links, context.Time.GetTimestamp());
        _timer = context.Time.CreateTimer(
            static state => ((HeartbeatTimer)state!).Beat(), this, context.Options.HeartbeatInterval, context.Options.HeartbeatInterval);
    }

    public void Dispose() => _timer.Dispose();

    private void Beat()
    {
        // A process that was stopped for a while has heard nothing because it did not listen.
        var sinceLast = _context.Time.GetElapsedTime(_lastBeat);
        _lastBeat = _context.Time.GetTimestamp();
        var judge = sinceLast < _context.Options.HeartbeatInterval + (_context.Options.DeadLinkAfter / 2);
        foreach (var link in _links.Links)
        {
            link.Probe(judge);
        }
    }
}
