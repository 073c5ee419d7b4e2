using System.Collections.Immutable;

namespace Geo.Embedded;

/// <summary>A call that arrived from another process, whose end is a reply.</summary>
internal abstract class InboundCall(
    GrainMethod method, GrainKey target, CallChain? callers, ImmutableDictionary<string, object> values, ICallSender sender)
    : GrainCall(method, target, callers, values, sender)
{
    /// <summary>Begins to wait: the call ends, if nothing else ends it, when its caller no longer waits.</summary>
    public abstract void Start();

    /// <summary>The other cluster in which it was made; none for this one.</summary>
    public ClusterId From { get; set; }

    /// <summary>The reply.</summary>
    public abstract Task<ReadOnlyMemory<byte>> Reply { get; }
}
