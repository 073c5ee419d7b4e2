namespace Geo.Experiments.Messaging;

/// <summary>What the peers of a cell do.</summary>
internal enum Workload
{
    /// <summary>Actors of one peer send to the other and wait until it comes back (Partisan section 6.2.3).</summary>
    Echo,

    /// <summary>Actors of three peers read and write a store with quorums (Partisan section 6.2.4).</summary>
    KeyValue,

    /// <summary>A small message to and fro beside 16 actors that echo large ones.</summary>
    HeadOfLine,

    /// <summary>Echo on loopback: what dispatch costs.</summary>
    LoopbackRequest,

    /// <summary>The same with handlers that await once before they reply.</summary>
    LoopbackAwait,

    /// <summary>Echo of large messages on loopback, a connection for each actor.</summary>
    LoopbackLarge,

    /// <summary>The same over mutual TLS.</summary>
    LoopbackLargeTls,

    /// <summary>Messages without a reply on loopback, counted where they arrive.</summary>
    LoopbackOneWay,
}
