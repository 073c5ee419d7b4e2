using System.Net;
using System.Net.Sockets;

namespace Geo.Testing.Wan;

/// <summary>
/// An emulated long-distance link: listens on a loopback port and carries TCP connections to a target, each byte with a delay in
/// either direction. The delay may be changed, and the link cut and healed, while it runs.
/// </summary>
/// <remarks>
/// Connecting itself is not delayed, nor is a reset. Bytes leave in ticks of about 1 ms, never early, in large pieces where much is under
/// way.
/// </remarks>
public sealed class DelayedLink : IAsyncDisposable
{
    private static readonly TimeSpan Tick = TimeSpan.FromMilliseconds(1);

    private readonly Lock _lock = new();
    private readonly DelayedLinkOptions _options;
    private readonly TimeProvider _time;
    private readonly long _started;
    private readonly Dictionary<DelayedConnection, Task> _connections = [];

    // Bound and never listening: while the link is cut connections are refused, and nobody else is given its port.
    private readonly Socket _port;
    private Socket? _listener;
    private long _oneWayDelayTicks;
    private long _bytes;
    private bool _disposed;

    private DelayedLink(DelayedLinkOptions options, TimeProvider time)
    {
        (_options, _time, _started) = (options, time, time.GetTimestamp());
        _oneWayDelayTicks = options.OneWayDelay.Ticks;
        _port = Bind(options.ListenPort);
        ListeningOn = (IPEndPoint)_port.LocalEndPoint!;
        try
        {
            _listener = Listen(ListeningOn.Port);
        }
        catch
        {
            _port.Dispose();
            throw;
        }

        _ = AcceptAsync(_listener);
    }

    /// <summary>Where the link listens.</summary>
    public IPEndPoint ListeningOn { get; }

    /// <summary>How long a byte is under way in one direction. A change holds for what comes from then on; order is kept.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The delay is negative.</exception>
    public TimeSpan OneWayDelay
    {
        get => new(Interlocked.Read(ref _oneWayDelayTicks));
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, TimeSpan.Zero);
            Interlocked.Exchange(ref _oneWayDelayTicks, value.Ticks);
        }
    }

    /// <summary>How many connections are open.</summary>
    public int Connections
    {
        get
        {
            lock (_lock)
            {
                return _connections.Count;
            }
        }
    }

    /// <summary>How many bytes have arrived at either end so far.</summary>
    public long BytesDelivered => Interlocked.Read(ref _bytes);

    internal Gate Gate { get; } = new();

    /// <summary>Starts to listen.</summary>
    /// <param name="options">Where the link listens and leads, its delay and limits.</param>
    /// <param name="time">The clock of the delays; the system's when null.</param>
    /// <exception cref="GeoConfigurationException">An option is out of range, or the port is in use.</exception>
    public static DelayedLink Start(DelayedLinkOptions options, TimeProvider? time = null)
    {
        ArgumentNullException.ThrowIfNull(options);
        OptionsCheck.Check("The options of the delayed link", [options]);
        try
        {
            return new DelayedLink(options, time ?? TimeProvider.System);
        }
        catch (SocketException e)
        {
            throw new GeoConfigurationException(
                $"Delayed link: cannot listen on 127.0.0.1:{options.ListenPort} ({e.Message}). Name another port, or 0 for a free one.", e);
        }
    }

    /// <summary>Cuts the link until <see cref="Heal"/>; a link that is cut already takes on the new mode.</summary>
    public void Cut(CutMode mode = CutMode.Drop)
    {
        if (mode == CutMode.BlackHole)
        {
            Heal();
            Gate.Close();
            return;
        }

        DelayedConnection[] connections;
        lock (_lock)
        {
            _listener?.Dispose();
            _listener = null;
            connections = [.. _connections.Keys];
        }

        Array.ForEach(connections, connection => connection.Cut());
        Gate.Open();
    }

    /// <summary>Lets connections and bytes through again. Does nothing to a link that is not cut.</summary>
    public void Heal()
    {
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            if (_listener is null)
            {
                _listener = Listen(ListeningOn.Port);
                _ = AcceptAsync(_listener);
            }
        }

        Gate.Open();
    }

    /// <summary>Stops listening and resets the connections.</summary>
    public async ValueTask DisposeAsync()
    {
        Task[] running;
        lock (_lock)
        {
            _disposed = true;
            running = [.. _connections.Values];
        }

        Cut();
        _port.Dispose();
        await Task.WhenAll(running);
    }

    internal TimeSpan Now() => _time.GetElapsedTime(_started);

    internal void Count(int bytes) => Interlocked.Add(ref _bytes, bytes);

    internal async ValueTask WaitUntilAsync(TimeSpan due, CancellationToken cancellationToken)
    {
        for (var wait = due - Now(); wait > TimeSpan.Zero; wait = due - Now())
        {
            // Delays are cut down to whole milliseconds, and one of 0 would not wait at all.
            await (_time == TimeProvider.System
                ? FineDelay.WaitUntilAsync(_started + (long)(due.TotalSeconds * _time.TimestampFrequency), cancellationToken)
                : Task.Delay(wait + Tick - TimeSpan.FromTicks(1), _time, cancellationToken));
        }
    }

    private static Socket Listen(int port)
    {
        var listener = Bind(port);
        try
        {
            listener.Listen();
            return listener;
        }
        catch
        {
            listener.Dispose();
            throw;
        }
    }

    private static Socket Bind(int port)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            socket.Bind(new IPEndPoint(IPAddress.Loopback, port));
            return socket;
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    private async Task AcceptAsync(Socket listener)
    {
        while (IsListening(listener))
        {
            try
            {
                Begin(await listener.AcceptAsync(), listener);
            }
            catch (Exception e) when (e is ObjectDisposedException or SocketException)
            {
                // The listener was closed, or a client left before it was taken, or the process is out of sockets for now.
                await Task.Delay(Tick, _time);
            }
        }
    }

    private bool IsListening(Socket listener)
    {
        lock (_lock)
        {
            return _listener == listener;
        }
    }

    private void Begin(Socket client, Socket listener)
    {
        lock (_lock)
        {
            if (_listener != listener || _connections.Count >= _options.MaxConnections)
            {
                client.Close(timeout: 0);
                return;
            }

            var connection = new DelayedConnection(this, client, _options);
            _connections.Add(connection, Task.Run(() => RunAsync(connection)));
        }
    }

    private async Task RunAsync(DelayedConnection connection)
    {
        await connection.RunAsync();
        lock (_lock)
        {
            _connections.Remove(connection);
        }

        connection.Dispose();
    }
}
