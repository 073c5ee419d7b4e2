namespace Geo.Consistency;

/// <summary>
/// The last known version of a grain's state, and that state with the queued updates on top (GEO section 2.2, Fig. 4b).
/// </summary>
/// <remarks>
/// The version is kept as bytes, the states as objects made from them when somebody asks. The tentative state is brought forward
/// update by update, and becomes the confirmed one when all it holds is confirmed. The first update takes the confirmed object over
/// if nobody was shown it, and only otherwise makes a copy: with nothing queued no read ever copies. A part of the view, which it is given.
/// </remarks>
internal struct LocalCopy<TState, TUpdate>
{
    private ReadOnlyMemory<byte> _bytes;
    private bool _hasBytes;
    private TState? _confirmed;
    private bool _hasConfirmed;
    private bool _isConfirmedShown;
    private TState? _tentative;
    private bool _hasTentative;
    private int _tentativeUpdates;

    internal long Version { readonly get; private set; }

    /// <summary>The state of the last known version; an object that later updates do not change.</summary>
    internal TState Confirmed(QueuedView<TState, TUpdate> view)
    {
        _isConfirmedShown = true;
        return ConfirmedObject(view);
    }

    /// <summary>That state with the queued updates on top.</summary>
    internal TState Tentative(QueuedView<TState, TUpdate> view) =>
        view.Queue.Count == 0 ? ConfirmedObject(view) : BringTentativeForward(view);

    /// <summary>Writes the state that the oldest <paramref name="count"/> queued updates make.</summary>
    /// <exception cref="GeoSerializationException">The state cannot be written.</exception>
    internal void WriteWith(QueuedView<TState, TUpdate> view, int count, PayloadWriter writer)
    {
        if (count == view.Queue.Count)
        {
            view.Write(BringTentativeForward(view), writer);
            return;
        }

        var state = Copy(view);
        for (var i = 0; i < count; i++)
        {
            state = view.Apply(state, view.Queue[i]);
        }

        view.Write(state, writer);
    }

    /// <summary>
    /// Writes the state that the oldest <paramref name="count"/> queued updates make with updates of others on top, and gives it.
    /// </summary>
    /// <exception cref="GeoSerializationException">The state cannot be written.</exception>
    internal TState WriteWith(
        QueuedView<TState, TUpdate> view, int count, IEnumerable<TUpdate> others, PayloadWriter writer)
    {
        var state = Copy(view);
        for (var i = 0; i < count; i++)
        {
            state = view.Apply(state, view.Queue[i]);
        }

        foreach (var update in others)
        {
            state = view.Apply(state, update);
        }

        view.Write(state, writer);
        return state;
    }

    /// <summary>The bytes of the last known version; none for version 0.</summary>
    /// <exception cref="GeoSerializationException">The state cannot be written.</exception>
    internal ReadOnlyMemory<byte> Bytes(QueuedView<TState, TUpdate> view)
    {
        if (!_hasBytes && Version > 0)
        {
            var writer = new PayloadWriter();
            view.Write(ConfirmedObject(view), writer);
            (_bytes, _hasBytes) = (StateBytes.Exact(writer.Written), true);
        }

        return _bytes;
    }

    /// <summary>
    /// The oldest <paramref name="count"/> queued updates became the next version, whose state is written in <paramref name="bytes"/>.
    /// </summary>
    internal void ConfirmOldest(QueuedView<TState, TUpdate> view, int count, ReadOnlyMemory<byte> bytes)
    {
        view.Queue.RemoveConfirmed(count);
        Version += count;
        (_bytes, _hasBytes) = (StateBytes.Exact(bytes), true);
        (_confirmed, _hasConfirmed) = (default, false);
        _isConfirmedShown = false;
        _tentativeUpdates -= count;
        if (_tentativeUpdates < 0 || !_hasTentative)
        {
            DropTentative();
        }
        else if (view.Queue.Count == 0)
        {
            (_confirmed, _hasConfirmed) = (_tentative, true);
            DropTentative();
        }
    }

    /// <summary>
    /// The oldest <paramref name="count"/> queued updates became the next version with <paramref name="others"/> updates of others.
    /// </summary>
    internal void ConfirmOldest(QueuedView<TState, TUpdate> view, int count, int others, ReadOnlyMemory<byte> bytes, TState state)
    {
        view.Queue.RemoveConfirmed(count);
        Adopt(Version + count + others, bytes, state);
    }

    /// <summary>Replaces the last known version; what is queued goes on top of it.</summary>
    internal void Adopt(long version, ReadOnlyMemory<byte> bytes, TState state)
    {
        Version = version;
        (_bytes, _hasBytes) = version == 0 ? (default, false) : (StateBytes.Exact(bytes), true);
        (_confirmed, _hasConfirmed) = (state, true);
        _isConfirmedShown = false;
        DropTentative();
    }

    /// <summary>The queue lost updates that are in no version: the tentative state is to be made anew.</summary>
    internal void DropTentative()
    {
        (_tentative, _hasTentative) = (default, false);
        _tentativeUpdates = 0;
    }

    private TState BringTentativeForward(QueuedView<TState, TUpdate> view)
    {
        if (!_hasTentative)
        {
            (_tentative, _hasTentative) = (TakeConfirmed(view), true);
            _tentativeUpdates = 0;
        }

        var state = _tentative!;
        while (_tentativeUpdates < view.Queue.Count)
        {
            state = view.Apply(state, view.Queue[_tentativeUpdates++]);
        }

        _tentative = state;
        return state;
    }

    private TState TakeConfirmed(QueuedView<TState, TUpdate> view)
    {
        Bytes(view);
        if (!_hasConfirmed || _isConfirmedShown)
        {
            return Copy(view);
        }

        var taken = _confirmed!;
        (_confirmed, _hasConfirmed) = (default, false);
        return taken;
    }

    private TState ConfirmedObject(QueuedView<TState, TUpdate> view)
    {
        if (!_hasConfirmed)
        {
            (_confirmed, _hasConfirmed) = (Copy(view), true);
        }

        return _confirmed!;
    }

    private TState Copy(QueuedView<TState, TUpdate> view) => view.Read(Version, Bytes(view));
}
