namespace Geo.Experiments.Messaging.Load;

/// <summary>The peer that the actors load.</summary>
internal interface IMessageTarget
{
    /// <summary>Runs an actor's life where actors live: in the thread pool, or as a grain.</summary>
    Task LiveAsync(Traffic traffic, int actor, Func<Task> life) => Task.Run(life);

    /// <summary>Sends a payload there and back.</summary>
    ValueTask EchoAsync(Traffic traffic, int actor, ReadOnlyMemory<byte> payload);

    /// <summary>Sends a message without a reply, once there is room for it.</summary>
    ValueTask SendAsync(int actor, ReadOnlyMemory<byte> payload);

    /// <summary>How many messages without a reply have arrived there.</summary>
    ValueTask<long> CountAsync();
}
