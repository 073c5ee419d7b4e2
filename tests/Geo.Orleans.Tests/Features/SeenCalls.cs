using System.Collections.Concurrent;
using Microsoft.Extensions.Options;

namespace Geo.Orleans.Tests.Features;

/// <summary>A call filter of the application that notes where it saw calls of grains whose key says that it is to.</summary>
internal sealed class SeenCalls(IOptions<GeoOrleansOptions> options) : IIncomingGrainCallFilter, IOutgoingGrainCallFilter
{
    public const string WatchedKey = "watched";

    public static readonly ConcurrentQueue<string> Seen = new();

    public Task Invoke(IIncomingGrainCallContext context)
    {
        Note(context.TargetId, $"in {options.Value.ClusterId} {context.MethodName} {context.Request.GetArgumentCount()}");
        return context.Invoke();
    }

    public Task Invoke(IOutgoingGrainCallContext context)
    {
        Note(context.TargetId, $"out {options.Value.ClusterId} {context.MethodName} {context.Request.GetArgumentCount()}");
        return context.Invoke();
    }

    private static void Note(GrainId grain, string call)
    {
        if (grain.Key.ToString()!.StartsWith(WatchedKey, StringComparison.Ordinal))
        {
            Seen.Enqueue(call);
        }
    }
}
