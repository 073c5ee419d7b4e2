namespace Geo.Messaging;

/// <summary>The users' code that has become due by what a lane received.</summary>
/// <param name="Replied">What follows replies; null when there is nothing, or somebody is at it already.</param>
/// <param name="Handlers">The handlers to start; null likewise.</param>
internal readonly record struct ReceivedWork(EndedRequests? Replied, InboundMessages? Handlers)
{
    /// <summary>Runs it on this thread, which has nothing else to do. Handlers do not wait behind what follows replies.</summary>
    public void RunHere()
    {
        if (Replied is null)
        {
            Handlers?.Run();
            return;
        }

        new ReceivedWork(null, Handlers).RunInPool();
        Replied.Run();
    }

    /// <summary>Lets the pool run it.</summary>
    public void RunInPool()
    {
        if (Handlers is not null)
        {
            ThreadPool.UnsafeQueueUserWorkItem(Handlers, preferLocal: false);
        }

        if (Replied is not null)
        {
            ThreadPool.UnsafeQueueUserWorkItem(Replied, preferLocal: false);
        }
    }
}
