using System.Collections.Concurrent;
using System.Linq.Expressions;
using System.Reflection;

namespace Geo.Embedded;

/// <summary>Calls the state's <c>Apply</c> method that fits an event best, by one compiled delegate for each type of event.</summary>
internal static class EventApplier<TState>
    where TState : class
{
    private const string MethodName = "Apply";

    private static readonly ConcurrentDictionary<Type, Action<TState, object>> Appliers = new();

    public static void Apply(TState state, object @event)
    {
        ArgumentNullException.ThrowIfNull(@event);
        if (!Appliers.TryGetValue(@event.GetType(), out var applier))
        {
            applier = Appliers.GetOrAdd(@event.GetType(), Compile);
        }

        applier(state, @event);
    }

    private static Action<TState, object> Compile(Type eventType)
    {
        var method = typeof(TState).GetMethod(
            MethodName, BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic, binder: null, [eventType], modifiers: null)
            ?? throw new GeoConfigurationException(
                $"{typeof(TState).FullName} has no method {MethodName}({eventType.Name}); add it, or override TransitionState in the "
                + "grain.");
        var state = Expression.Parameter(typeof(TState), "state");
        var boxed = Expression.Parameter(typeof(object), "event");
        var call = Expression.Call(state, method, Expression.Convert(boxed, method.GetParameters()[0].ParameterType));
        return Expression.Lambda<Action<TState, object>>(call, state, boxed).Compile();
    }
}
