namespace Geo.Embedded;

/// <summary>What a grain sees of its activation.</summary>
internal interface IActivationContext
{
    /// <summary>The grain's identity.</summary>
    GrainKey Key { get; }

    /// <summary>References to other grains.</summary>
    IGrainFactory GrainFactory { get; }

    /// <summary>The services of this activation: the host's, in a scope of their own.</summary>
    IServiceProvider Services { get; }

    /// <summary>The silo's incarnation.</summary>
    string SiloIdentity { get; }

    /// <summary>The number of the instance's tenancy; 0 where it has none.</summary>
    long Tenancy { get; }

    /// <summary>Deactivates the grain when the calls that are running now have ended.</summary>
    void Deactivate(DeactivationReason reason);

    /// <summary>Keeps the grain from idle deactivation for a time; zero or less takes that back.</summary>
    void DelayDeactivation(TimeSpan timeSpan);

    /// <summary>Starts a timer.</summary>
    IGrainTimer RegisterTimer(Func<CancellationToken, Task> callback, GrainTimerCreationOptions options);

    /// <summary>A reference to this grain.</summary>
    object ReferenceTo(Type interfaceType);
}
