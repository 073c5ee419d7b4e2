using Microsoft.Extensions.Logging;

namespace Geo.Consistency;

/// <summary>How the states of one grain are made, changed, read and written: what its view shares with its parts.</summary>
internal abstract class ViewStates<TState, TUpdate>
{
    private readonly IViewModel<TState, TUpdate> _model;

    protected ViewStates(GrainKey key, IViewModel<TState, TUpdate> model, ViewServices services) =>
        (Key, _model, Services) = (key, model, services);

    public GrainKey Key { get; }

    protected internal ViewServices Services { get; }

    // Made when something is to be logged, which is seldom: the factory remembers it.
    protected internal ILogger Logger => Services.Loggers.CreateLogger(GetType().Namespace + "." + GetType().Name.Split('`')[0]);

    /// <summary>The state of a version.</summary>
    /// <exception cref="GeoSerializationException">The bytes are not a state.</exception>
    internal TState Read(long version, ReadOnlyMemory<byte> bytes) =>
        version == 0 ? _model.Create() : Services.Serializer.Deserialize<TState>(bytes.Span);

    /// <summary>Writes a state; whatever its own code throws on the way means that it cannot be written.</summary>
    /// <exception cref="GeoSerializationException">The state cannot be written.</exception>
    internal void Write(TState state, PayloadWriter writer)
    {
        try
        {
            Services.Serializer.Serialize(state, writer);
        }
        catch (Exception e) when (e is not GeoSerializationException)
        {
            throw new GeoSerializationException($"a {typeof(TState)} could not be written: {e.Message}", e);
        }
    }

    /// <summary>The state with one update more; what the application's code throws is logged.</summary>
    internal TState Apply(TState state, TUpdate update)
    {
        try
        {
            return _model.Apply(state, update);
        }
        catch (Exception e)
        {
            ViewLog.ApplyFailed(Logger, e, Key);
            return state;
        }
    }
}
