namespace Geo.Testing.InMemory;

/// <summary>
/// One direction of a connection in memory: bytes that arrive after a delay, in order, and a window that holds their sender back.
/// For one writer and one reader at a time.
/// </summary>
internal sealed class InMemoryStream(int windowBytes, TimeSpan delay, TimeProvider time)
{
    private readonly Lock _lock = new();
    private readonly Queue<(byte[] Bytes, long Sent)> _underWay = new();
    private TaskCompletionSource _changed = NewChange();
    private int _headRead;
    private int _bytes;
    private bool _finished;
    private string? _broken;

    /// <summary>True when bytes have arrived that nobody has received.</summary>
    public bool HasArrived
    {
        get
        {
            lock (_lock)
            {
                return IsNextHere(out _);
            }
        }
    }

    /// <summary>Sends all bytes, as the window lets them through.</summary>
    /// <exception cref="IOException">The connection is broken, or sending is over.</exception>
    public async ValueTask WriteAsync(ReadOnlyMemory<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            Task change;
            lock (_lock)
            {
                ThrowIfOver();
                var room = Math.Min(windowBytes - _bytes, bytes.Length);
                if (room > 0)
                {
                    _underWay.Enqueue((bytes[..room].ToArray(), time.GetTimestamp()));
                    _bytes += room;
                    bytes = bytes[room..];
                    Change();
                    continue;
                }

                change = _changed.Task;
            }

            await change;
        }
    }

    /// <summary>Receives at least one byte; 0 when all have been received and sending is over.</summary>
    /// <exception cref="IOException">The connection is broken.</exception>
    public async ValueTask<int> ReadAsync(Memory<byte> buffer)
    {
        while (true)
        {
            Task change;
            lock (_lock)
            {
                if (_broken is { } reason)
                {
                    throw new IOException(reason);
                }

                var left = _underWay.TryPeek(out var head) ? delay - time.GetElapsedTime(head.Sent) : Timeout.InfiniteTimeSpan;
                if (_underWay.Count > 0 && left <= TimeSpan.Zero)
                {
                    return Take(buffer.Span);
                }

                if (_underWay.Count == 0 && _finished)
                {
                    return 0;
                }

                change = _underWay.Count > 0 ? Task.WhenAny(_changed.Task, Task.Delay(left, time)) : _changed.Task;
            }

            await change;
        }
    }

    /// <summary>Lets nothing more in; what is under way arrives.</summary>
    public void Finish()
    {
        lock (_lock)
        {
            _finished = true;
            Change();
        }
    }

    /// <summary>Ends the stream at once, for both sides.</summary>
    public void Break(string reason)
    {
        lock (_lock)
        {
            _broken ??= reason;
            _underWay.Clear();
            Change();
        }
    }

    private static TaskCompletionSource NewChange() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    // Of all that has arrived, as much as fits.
    private int Take(Span<byte> buffer)
    {
        var taken = 0;
        while (taken < buffer.Length && IsNextHere(out var head))
        {
            var some = head.Bytes.AsSpan(_headRead, Math.Min(head.Bytes.Length - _headRead, buffer.Length - taken));
            some.CopyTo(buffer[taken..]);
            taken += some.Length;
            _headRead += some.Length;
            if (_headRead == head.Bytes.Length)
            {
                _underWay.Dequeue();
                _headRead = 0;
            }
        }

        _bytes -= taken;
        Change();
        return taken;
    }

    private bool IsNextHere(out (byte[] Bytes, long Sent) next) =>
        _underWay.TryPeek(out next) && time.GetElapsedTime(next.Sent) >= delay;

    private void ThrowIfOver()
    {
        if (_broken is { } reason || _finished)
        {
            throw new IOException(_broken ?? "sending on this connection is over");
        }
    }

    private void Change()
    {
        var change = _changed;
        _changed = NewChange();
        change.SetResult();
    }
}
