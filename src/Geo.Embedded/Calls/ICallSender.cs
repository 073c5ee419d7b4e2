namespace Geo.Embedded;

/// <summary>Takes calls from references to where they are executed.</summary>
internal interface ICallSender
{
    /// <summary>The cluster of the silo; none for a client.</summary>
    ClusterId Cluster { get; }

    /// <summary>Writes and reads arguments and results.</summary>
    IGeoSerializer Serializer { get; }

    /// <summary>The exceptions that may be created from replies.</summary>
    ExceptionTypes Exceptions { get; }

    /// <summary>The time-outs of calls.</summary>
    Deadlines Deadlines { get; }

    /// <summary>How long a call waits that does not say.</summary>
    TimeSpan RequestTimeout { get; }

    /// <summary>How many calls of a chain are remembered.</summary>
    int MaxCallChain { get; }

    /// <summary>True when the grain called may be in this process, so that arguments must be copied.</summary>
    bool SharesMemory { get; }

    /// <summary>What is around the silo or client.</summary>
    SiloSurroundings Around { get; }

    /// <summary>Takes a call. Whatever happens to it ends the call; nothing is thrown.</summary>
    void Send(GrainCall call);

    /// <summary>A call ended that nobody waits for.</summary>
    void OneWayFailed(GrainCall call, Exception exception);
}
