using System.Diagnostics.CodeAnalysis;

namespace Geo.Orleans;

/// <summary>
/// What the grain object of a read replica sees around it: the grain's identity and services. It is no activation: nobody sends messages
/// to it, it has no life of its own, and it cannot be deactivated.
/// </summary>
internal sealed class ReplicaContext(GrainId grain, Func<GrainReference> reference, SiloAddress silo, IServiceProvider services)
    : IGrainContext
{
    private readonly Dictionary<Type, object> _components = [];

    public GrainReference GrainReference => reference();

    public GrainId GrainId => grain;

    public object? GrainInstance { get; set; }

    public ActivationId ActivationId { get; } = ActivationId.NewId();

    public GrainAddress Address => new() { GrainId = grain, ActivationId = ActivationId, SiloAddress = silo };

    public IServiceProvider ActivationServices => services;

    public IGrainLifecycle ObservableLifecycle => throw None("lifecycle");

    public IWorkItemScheduler Scheduler => throw None("scheduler");

    public Task Deactivated => Task.CompletedTask;

    public object? GetTarget() => GrainInstance;

    public object? GetComponent(Type componentType) => _components.GetValueOrDefault(componentType);

    public void SetComponent<TComponent>(TComponent? value)
        where TComponent : class
    {
        if (value is null)
        {
            _components.Remove(typeof(TComponent));
        }
        else
        {
            _components[typeof(TComponent)] = value;
        }
    }

    public void ReceiveMessage(object message) => throw None("messages");

    public void Activate(Dictionary<string, object>? requestContext, CancellationToken cancellationToken = default)
    {
    }

    public void Deactivate(DeactivationReason deactivationReason, CancellationToken cancellationToken = default)
    {
    }

    public void Rehydrate(IRehydrationContext context) => throw None("migration");

    public void Migrate(Dictionary<string, object>? requestContext, CancellationToken cancellationToken = default)
    {
    }

    public bool Equals([NotNullWhen(true)] IGrainContext? other) => ReferenceEquals(this, other);

    public override bool Equals(object? obj) => ReferenceEquals(this, obj);

    public override int GetHashCode() => ActivationId.GetHashCode();

    public override string ToString() => $"read replica of {grain}";

    private NotSupportedException None(string what) => new($"The {this} has no {what}; do that in a method that is not [ReadOnly].");
}
