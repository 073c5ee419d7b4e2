using System.Text;

namespace Geo.Embedded;

/// <summary>One call of a chain of calls that each wait for the next, and the call that made it.</summary>
/// <param name="Grain">The grain called.</param>
/// <param name="Method">The method called.</param>
/// <param name="Caller">The call during which this one was made; null for the first.</param>
internal sealed record CallChain(GrainKey Grain, string Method, CallChain? Caller)
{
    /// <summary>The activation that the call runs on; null where that is on another silo.</summary>
    public Activation? At { get; init; }

    /// <summary>How many calls the chain has; never more than the limit it was made with.</summary>
    public int Length { get; } = (Caller?.Length ?? 0) + 1;

    /// <summary>A chain with one more call. At the limit the oldest half is forgotten.</summary>
    public static CallChain Append(CallChain? chain, GrainKey grain, string method, int limit, Activation? at = null) =>
        new(grain, method, chain is null || chain.Length < limit ? chain : chain.Newest(limit / 2)) { At = at };

    /// <summary>True when a call of the grain is in the chain.</summary>
    public bool Includes(GrainKey grain)
    {
        for (var call = this; call is not null; call = call.Caller)
        {
            if (call.Grain == grain)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>True when a call of the chain runs on the activation: what came with a message is not known to.</summary>
    public bool RunsOn(Activation activation)
    {
        for (var call = this; call is not null; call = call.Caller)
        {
            if (call.At == activation)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>The calls from the first to the last.</summary>
    public override string ToString()
    {
        var text = new StringBuilder();
        Write(text);
        return text.ToString();
    }

    private CallChain Newest(int count) => new(Grain, Method, count <= 1 ? null : Caller?.Newest(count - 1)) { At = At };

    private void Write(StringBuilder text)
    {
        if (Caller is not null)
        {
            Caller.Write(text);
            text.Append(" -> ");
        }

        text.Append(Grain.Type).Append('/').Append(Grain.Key).Append('.').Append(Method);
    }
}
