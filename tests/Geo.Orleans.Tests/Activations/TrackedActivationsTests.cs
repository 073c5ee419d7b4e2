using System.Reflection;
using Microsoft.Extensions.DependencyInjection;

namespace Geo.Orleans.Tests.Activations;

public sealed class TrackedActivationsTests
{
    private static readonly GrainId Grain = GrainId.Create("moved", "here");

    [Fact]
    public async Task Who_waits_for_an_activation_to_settle_does_not_keep_it_from_being_registered()
    {
        await using var services = new ServiceCollection().BuildServiceProvider();
        var activations = new TrackedActivations(services);
        var context = DispatchProxy.Create<IGrainContext, Activating>();
        activations.Configure(context);

        // As Orleans does, which registers an activation under the lock that guards what others ask of it.
        var activating = (Activating)(object)context;
        activating.Asked = () => Assert.True(
            Task.Run(() => activations.Begins(Grain, activating.Id, 1)).Wait(TimeSpan.FromSeconds(10)), "The registration waits.");
        var settled = activations.SettledAsync(Grain);
        activations.Begins(Grain, activating.Id, 1);

        await settled.WaitAsync(TimeSpan.FromSeconds(10), TestContext.Current.CancellationToken);
        Assert.Equal(1, activations.TenancyOf(Grain, activating.Id));
        activating.Ending.SetResult();
    }

    [Fact]
    public async Task An_activation_that_ends_unregistered_has_settled()
    {
        await using var services = new ServiceCollection().BuildServiceProvider();
        var activations = new TrackedActivations(services);
        var context = DispatchProxy.Create<IGrainContext, Activating>();
        activations.Configure(context);

        var settled = activations.SettledAsync(Grain);
        Assert.False(settled.IsCompleted);
        ((Activating)(object)context).Ending.SetResult();

        await settled.WaitAsync(TimeSpan.FromSeconds(10), TestContext.Current.CancellationToken);
        Assert.False(activations.Has(Grain));
    }

    [Fact]
    public async Task An_activation_whose_row_is_given_back_takes_no_calls_although_it_has_not_ended()
    {
        await using var services = new ServiceCollection().BuildServiceProvider();
        var activations = new TrackedActivations(services);
        var context = DispatchProxy.Create<IGrainContext, Activating>();
        activations.Configure(context);
        var activating = (Activating)(object)context;
        activations.Begins(Grain, activating.Id, 1);
        Assert.True(activations.TakesCalls(Grain));

        Assert.False(activations.Ends(Grain, ActivationId.NewId()));
        Assert.True(activations.TakesCalls(Grain));
        Assert.True(activations.Ends(Grain, activating.Id));

        Assert.False(activations.TakesCalls(Grain));
        Assert.True(activations.Has(Grain));
        activating.Ending.SetResult();
        Assert.False(activations.Has(Grain));
    }

    /// <summary>An activation of which only its name, its lifecycle and its end are asked.</summary>
    public class Activating : DispatchProxy
    {
        public ActivationId Id { get; } = ActivationId.NewId();

        public TaskCompletionSource Ending { get; } = new();

        /// <summary>Runs whenever its end is asked for.</summary>
        public Action? Asked { get; set; }

        protected override object? Invoke(MethodInfo? targetMethod, object?[]? args)
        {
            switch (targetMethod?.Name)
            {
                case "get_GrainId":
                    return Grain;
                case "get_ActivationId":
                    return Id;
                case "get_Deactivated":
                    Asked?.Invoke();
                    return Ending.Task;
                case "get_ObservableLifecycle":
                    return Create<IGrainLifecycle, Lifecycle>();
                case "GetComponent":
                    return null;
                default:
                    throw new NotSupportedException(targetMethod?.Name);
            }
        }
    }

    public class Lifecycle : DispatchProxy
    {
        protected override object? Invoke(MethodInfo? targetMethod, object?[]? args) => null;
    }
}
