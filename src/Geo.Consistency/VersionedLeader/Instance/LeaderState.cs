using System.Diagnostics.CodeAnalysis;

namespace Geo.Consistency;

/// <summary>The state of a leader's newest log as an object, to which it applies what it decides.</summary>
internal struct LeaderState<TState, TUpdate>
{
    private TState? _state;
    private ReplicaLog? _of;

    /// <summary>True when it keeps no state.</summary>
    internal readonly bool IsNone => _of is null;

    /// <summary>
    /// Applies groups of updates to the state of a log, as far as what they make can be written.
    /// </summary>
    /// <param name="states">How they are made.</param>
    /// <param name="log">The log.</param>
    /// <param name="groups">The groups; a whole group is applied or none of it.</param>
    /// <returns>
    /// The bytes of the new state, how many groups made it, and why the next group cannot be written; null where all were applied.
    /// </returns>
    internal (ReadOnlyMemory<byte> State, int Groups, GeoSerializationException? Failure) Apply(
        ViewStates<TState, TUpdate> states, ReplicaLog log, IReadOnlyList<ArraySegment<TUpdate>> groups)
    {
        try
        {
            return (ApplyAll(states, log, groups, groups.Count), groups.Count, null);
        }
        catch (GeoSerializationException e)
        {
            // The first groups up to "good" make a state that can be written, those up to "bad" one that cannot.
            var (good, bad, failure) = (0, groups.Count, e);
            while (bad - good > 1)
            {
                var middle = (good + bad) / 2;
                try
                {
                    ApplyAll(states, log, groups, middle);
                    good = middle;
                }
                catch (GeoSerializationException earlier)
                {
                    (bad, failure) = (middle, earlier);
                }
            }

            return (ApplyAll(states, log, groups, good), good, failure);
        }
    }

    /// <summary>What was applied is the state of a log now.</summary>
    internal void Became(ReplicaLog log) => _of = log;

    /// <summary>
    /// Gives the state of a log away, if it is the one that is here: what is decided next is read from the log's bytes. So an instance that
    /// shows what it has decided keeps one object of it, not two.
    /// </summary>
    internal bool TryTake(ReplicaLog log, [MaybeNullWhen(false)] out TState state)
    {
        var isIt = ReferenceEquals(_of, log);
        state = isIt ? _state! : default;
        (_of, _state) = isIt ? (null, default) : (_of, _state);
        return isIt;
    }

    private ReadOnlyMemory<byte> ApplyAll(
        ViewStates<TState, TUpdate> states, ReplicaLog log, IReadOnlyList<ArraySegment<TUpdate>> groups, int count)
    {
        var maxBytes = states.Services.VersionedLeader.MaxBytes;
        var state = ReferenceEquals(_of, log) ? _state! : states.Read(log.Version, log.State);

        // Whatever goes wrong, the next use begins from a log's bytes.
        (_of, _state) = (null, default);
        for (var i = 0; i < count; i++)
        {
            foreach (var update in groups[i])
            {
                state = states.Apply(state, update);
            }
        }

        _state = state;
        if (count == 0)
        {
            return log.State;
        }

        var writer = new PayloadWriter();
        states.Write(state, writer);
        return writer.Written.Length <= maxBytes ? StateBytes.Exact(writer.Written) : throw new GeoSerializationException(
            $"the state would have {writer.Written.Length} bytes, and no message to another cluster carries more than {maxBytes} "
            + "(option MaxBytes).");
    }
}
