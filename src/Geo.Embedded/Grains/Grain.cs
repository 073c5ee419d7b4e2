namespace Geo.Embedded;

/// <summary>
/// The base of grain classes: a virtual actor whose calls run one at a time (GEO section 2.1). Created by the silo when it is first
/// called, removed when it has been idle.
/// </summary>
/// <remarks>
/// A class with no further attribute lives in its own cluster alone. <see cref="GlobalSingleInstanceAttribute"/> makes it one instance
/// across all clusters.
/// </remarks>
public abstract class Grain : IAddressable
{
    private readonly IActivationContext? _activation;

    /// <summary>Called by the silo.</summary>
    protected Grain() => _activation = ActivationScope.Constructing;

    /// <summary>The grain's identity as text: its type and its key.</summary>
    public string IdentityString => Activation.Key.ToString();

    /// <summary>The incarnation of the silo that the grain is active in.</summary>
    public string RuntimeIdentity => Activation.SiloIdentity;

    /// <summary>Makes references to other grains.</summary>
    protected IGrainFactory GrainFactory => Activation.GrainFactory;

    /// <summary>The host's services, in a scope that ends with the activation.</summary>
    protected internal IServiceProvider ServiceProvider => Activation.Services;

    /// <summary>The grain's activation.</summary>
    /// <exception cref="InvalidOperationException">The grain was not created by a silo.</exception>
    internal IActivationContext Activation => _activation
        ?? throw new InvalidOperationException(
            $"This {GetType().FullName} was not created by a silo; call it through a reference from IGrainFactory.");

    /// <summary>
    /// Runs before the first call, when the persistent states have been read. If it throws, the waiting calls fail with its exception.
    /// </summary>
    /// <param name="cancellationToken">Set when the silo stops, or when activation takes longer than the options allow.</param>
    public virtual Task OnActivateAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>Runs after the last call. Not run when the process dies: nothing may depend on it.</summary>
    /// <param name="reason">Why the grain is deactivated.</param>
    /// <param name="cancellationToken">Set when deactivation takes longer than the options allow.</param>
    public virtual Task OnDeactivateAsync(DeactivationReason reason, CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>Deactivates this instance when the calls that are running have ended; later calls find a new one.</summary>
    protected void DeactivateOnIdle() =>
        Activation.Deactivate(new DeactivationReason(DeactivationReasonCode.ApplicationRequested, "DeactivateOnIdle was called."));

    /// <summary>Keeps this instance from idle deactivation for a time, in memory only.</summary>
    /// <param name="timeSpan">The time from now; zero or less takes an earlier delay back.</param>
    protected void DelayDeactivation(TimeSpan timeSpan) => Activation.DelayDeactivation(timeSpan);
}
