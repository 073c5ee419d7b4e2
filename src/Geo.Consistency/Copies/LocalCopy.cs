using Microsoft.Extensions.Logging;

namespace Geo.Consistency;

/// <summary>
/// The last known version of a grain's state, and that state with the queued updates on top (GEO section 2.2, Fig. 4b).
/// </summary>
/// <remarks>
/// The version is kept as bytes, the states as objects made from them when somebody asks. The tentative state is brought forward
/// update by update, and becomes the confirmed one when all it holds is confirmed. The first update takes the confirmed object over
/// if nobody was shown it, and only otherwise makes a copy: with nothing queued no read ever copies.
/// </remarks>
internal sealed class LocalCopy<TState, TUpdate>(
    IViewModel<TState, TUpdate> model, UpdateQueue<TUpdate> queue, IGeoSerializer serializer, GrainKey key, ILogger logger)
{
    private ReadOnlyMemory<byte>? _bytes;
    private Materialised _confirmed;
    private bool _isConfirmedShown;
    private Materialised _tentative;
    private int _tentativeUpdates;

    internal long Version { get; private set; }

    /// <summary>The state of the last known version; an object that later updates do not change.</summary>
    internal TState Confirmed
    {
        get
        {
            _isConfirmedShown = true;
            return ConfirmedObject();
        }
    }

    internal TState Tentative => queue.Count == 0 ? ConfirmedObject() : BringTentativeForward();

    /// <summary>Writes the state that the oldest <paramref name="count"/> queued updates make.</summary>
    /// <exception cref="GeoSerializationException">The state cannot be written.</exception>
    internal void WriteWith(int count, PayloadWriter writer)
    {
        if (count == queue.Count)
        {
            Write(BringTentativeForward(), writer);
            return;
        }

        var state = Copy();
        for (var i = 0; i < count; i++)
        {
            state = Apply(state, queue[i]);
        }

        Write(state, writer);
    }

    /// <summary>
    /// Writes the state that the oldest <paramref name="count"/> queued updates make with updates of others on top, and gives it.
    /// </summary>
    /// <exception cref="GeoSerializationException">The state cannot be written.</exception>
    internal TState WriteWith(int count, IEnumerable<TUpdate> others, PayloadWriter writer)
    {
        var state = Copy();
        for (var i = 0; i < count; i++)
        {
            state = Apply(state, queue[i]);
        }

        foreach (var update in others)
        {
            state = Apply(state, update);
        }

        Write(state, writer);
        return state;
    }

    /// <summary>The bytes of the last known version; none for version 0.</summary>
    /// <exception cref="GeoSerializationException">The state cannot be written.</exception>
    internal ReadOnlyMemory<byte> Bytes()
    {
        if (_bytes is null && Version > 0)
        {
            var writer = new PayloadWriter();
            Write(ConfirmedObject(), writer);
            _bytes = writer.Written;
        }

        return _bytes ?? default;
    }

    /// <summary>
    /// The oldest <paramref name="count"/> queued updates became the next version, whose state is written in <paramref name="bytes"/>.
    /// </summary>
    internal void ConfirmOldest(int count, ReadOnlyMemory<byte> bytes)
    {
        queue.RemoveConfirmed(count);
        Version += count;
        _bytes = bytes;
        _confirmed = default;
        _isConfirmedShown = false;
        _tentativeUpdates -= count;
        if (_tentativeUpdates < 0 || !_tentative.Exists)
        {
            DropTentative();
        }
        else if (queue.Count == 0)
        {
            _confirmed = _tentative;
            DropTentative();
        }
    }

    /// <summary>
    /// The oldest <paramref name="count"/> queued updates became the next version with <paramref name="others"/> updates of others.
    /// </summary>
    internal void ConfirmOldest(int count, int others, ReadOnlyMemory<byte> bytes, TState state)
    {
        queue.RemoveConfirmed(count);
        Adopt(Version + count + others, bytes, state);
    }

    /// <summary>Applies one update to the last known version in place: for whoever decides alone what the next version is.</summary>
    internal void ApplyConfirmed(TUpdate update)
    {
        _confirmed = new(Apply(ConfirmedObject(), update));
        _bytes = null;
        Version++;
        DropTentative();
    }

    /// <summary>Reads the state of another version without adopting it.</summary>
    /// <exception cref="GeoSerializationException">The bytes are not a state.</exception>
    internal TState Read(long version, ReadOnlyMemory<byte> bytes) =>
        version == 0 ? model.Create() : serializer.Deserialize<TState>(bytes.Span);

    /// <summary>Replaces the last known version; what is queued goes on top of it.</summary>
    internal void Adopt(long version, ReadOnlyMemory<byte> bytes, TState state)
    {
        Version = version;
        _bytes = version == 0 ? null : bytes;
        _confirmed = new(state);
        _isConfirmedShown = false;
        DropTentative();
    }

    /// <summary>The queue lost updates that are in no version: the tentative state is to be made anew.</summary>
    internal void DropTentative()
    {
        _tentative = default;
        _tentativeUpdates = 0;
    }

    /// <summary>Writes a state; whatever its own code throws on the way means that it cannot be written.</summary>
    private void Write(TState state, PayloadWriter writer)
    {
        try
        {
            serializer.Serialize(state, writer);
        }
        catch (Exception e) when (e is not GeoSerializationException)
        {
            throw new GeoSerializationException($"a {typeof(TState)} could not be written: {e.Message}", e);
        }
    }

    private TState BringTentativeForward()
    {
        if (!_tentative.Exists)
        {
            _tentative = new(TakeConfirmed());
            _tentativeUpdates = 0;
        }

        var state = _tentative.State;
        while (_tentativeUpdates < queue.Count)
        {
            state = Apply(state, queue[_tentativeUpdates++]);
        }

        _tentative = new(state);
        return state;
    }

    private TState TakeConfirmed()
    {
        Bytes();
        if (!_confirmed.Exists || _isConfirmedShown)
        {
            return Copy();
        }

        var taken = _confirmed.State;
        _confirmed = default;
        return taken;
    }

    private TState ConfirmedObject()
    {
        if (!_confirmed.Exists)
        {
            _confirmed = new(Copy());
        }

        return _confirmed.State;
    }

    private TState Copy() => Read(Version, Bytes());

    private TState Apply(TState state, TUpdate update)
    {
        try
        {
            return model.Apply(state, update);
        }
        catch (Exception e)
        {
            ViewLog.ApplyFailed(logger, e, key);
            return state;
        }
    }

    private readonly record struct Materialised(TState State)
    {
        internal bool Exists { get; } = true;
    }
}
