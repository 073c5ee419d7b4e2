using Geo.Messaging;

namespace Geo.Testing.Overlays;

/// <summary>
/// Links between the peers of an overlay in virtual time: dialled and redialled, in order, broken by crashes and partitions, and found
/// broken only after a while. One random number generator decides every delay, so that a run can be replayed.
/// </summary>
/// <remarks>Everything happens on the thread that advances the time.</remarks>
public sealed class SimulatedOverlayNetwork
{
    private readonly Dictionary<PeerAddress, SimulatedOverlayTransport> _listening = [];
    private readonly List<SimulatedOverlayTransport> _peers = [];
    private readonly Dictionary<PeerId, int> _part = [];
    private readonly VirtualTime _time;
    private readonly Random _random;
    private readonly SimulatedOverlayOptions _options;

    /// <summary>Creates a network without peers.</summary>
    /// <param name="time">The clock on which frames travel.</param>
    /// <param name="random">Decides every delay.</param>
    /// <param name="options">How links behave; the defaults when null.</param>
    public SimulatedOverlayNetwork(VirtualTime time, Random random, SimulatedOverlayOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(time);
        ArgumentNullException.ThrowIfNull(random);
        (_time, _random, _options) = (time, random, (options ?? new SimulatedOverlayOptions()).Checked());
    }

    /// <summary>The frames handed to the network.</summary>
    public long Frames { get; private set; }

    /// <summary>The bytes of those frames.</summary>
    public long FrameBytes { get; private set; }

    /// <summary>Adds a peer.</summary>
    /// <param name="peer">Its name.</param>
    /// <param name="address">Where it listens; null when it only dials.</param>
    public SimulatedOverlayTransport Attach(PeerId peer, PeerAddress? address)
    {
        var transport = new SimulatedOverlayTransport(this, peer, address);
        _peers.Add(transport);
        if (address is not null && !_listening.TryAdd(address, transport))
        {
            if (!_listening[address].IsDown)
            {
                throw new ArgumentException($"{address} is in use by {_listening[address].Peer}.", nameof(address));
            }

            _listening[address] = transport;
        }

        return transport;
    }

    /// <summary>Parts the network: only peers of one part reach each other. Those that are not named are a part of their own.</summary>
    public void Partition(params IReadOnlyList<IReadOnlyList<PeerId>> parts)
    {
        ArgumentNullException.ThrowIfNull(parts);
        _part.Clear();
        for (var part = 0; part < parts.Count; part++)
        {
            foreach (var peer in parts[part])
            {
                _part[peer] = part + 1;
            }
        }

        foreach (var link in _peers.SelectMany(peer => peer.Links).Where(link => !CanReach(link.Dialler, link.Listener)).ToList())
        {
            Break(link);
        }
    }

    /// <summary>Joins all parts again.</summary>
    public void Heal() => _part.Clear();

    internal SimulatedOverlayTransport? At(PeerAddress address) => _listening.GetValueOrDefault(address);

    internal void Dial(SimulatedOverlayTransport dialler, PeerAddress address, long dial) => _time.Schedule(Delay() + Delay(), () =>
    {
        if (!dialler.IsDialling(address, dial))
        {
            return;
        }

        if (At(address) is { IsDown: false } listener && listener != dialler && CanReach(dialler, listener)
            && !dialler.IsLinkedWith(listener.Peer) && !listener.IsLinkedWith(dialler.Peer))
        {
            var link = new SimulatedLink(dialler, listener);
            listener.Up(link);
            dialler.Up(link);
        }

        // Dialling goes on, so that a link that breaks comes up again.
        _time.Schedule(_options.RedialInterval, () => Dial(dialler, address, dial));
    });

    internal bool Carry(SimulatedLink link, SimulatedOverlayTransport from, byte[] frame)
    {
        var way = link.From(from);
        if (way.UnderWay >= _options.LinkFrames)
        {
            return false;
        }

        way.UnderWay++;
        Frames++;
        FrameBytes += frame.Length;
        var to = link.Other(from);
        _time.Schedule(InOrder(way), () =>
        {
            way.UnderWay--;
            if (link.IsUp && CanReach(from, to))
            {
                to.Receive(from.Peer, frame);
            }
        });
        return true;
    }

    /// <summary>Closes a link from one end: what was sent before still arrives, then the other end hears of it.</summary>
    internal void CloseFrom(SimulatedOverlayTransport from, SimulatedLink link) => _time.Schedule(InOrder(link.From(from)), () =>
    {
        link.IsUp = false;
        link.Other(from).Down(link);
    });

    /// <summary>Breaks a link: what is under way is lost, and both ends find out later.</summary>
    internal void Break(SimulatedLink link)
    {
        if (link.IsUp)
        {
            link.IsUp = false;
            foreach (var end in new[] { link.Dialler, link.Listener })
            {
                _time.Schedule(_options.DetectionTime + Delay(), () => end.Down(link));
            }
        }
    }

    /// <summary>Tells a peer of a link, not before what it was told last.</summary>
    internal void Notice(ref TimeSpan last, Action tell)
    {
        if (_options.MaxNoticeDelay == TimeSpan.Zero)
        {
            tell();
            return;
        }

        var now = _time.Elapsed;
        var at = now + (_options.MaxNoticeDelay * _random.NextDouble());
        last = at > last ? at : last;
        _time.Schedule(last - now, tell);
    }

    private TimeSpan InOrder(SimulatedLink.Way way)
    {
        var now = _time.Elapsed;
        var arrival = now + Delay();
        way.LastArrival = arrival > way.LastArrival ? arrival : way.LastArrival;
        return way.LastArrival - now;
    }

    private bool CanReach(SimulatedOverlayTransport a, SimulatedOverlayTransport b) =>
        _part.GetValueOrDefault(a.Peer) == _part.GetValueOrDefault(b.Peer);

    private TimeSpan Delay() =>
        _options.MinDelay + TimeSpan.FromTicks((long)((_options.MaxDelay - _options.MinDelay).Ticks * _random.NextDouble()));
}
