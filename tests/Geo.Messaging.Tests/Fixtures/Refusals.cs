namespace Geo.Messaging.Tests;

/// <summary>Waits for what a node refuses, or is refused.</summary>
internal static class Refusals
{
    public static Task<LinkRefusal> Next(MessagingNode node)
    {
        var next = new TaskCompletionSource<LinkRefusal>(TaskCreationOptions.RunContinuationsAsynchronously);
        node.LinkRefused += refusal => next.TrySetResult(refusal);
        return next.Task;
    }
}
