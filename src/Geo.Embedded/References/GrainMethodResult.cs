using System.Reflection;

namespace Geo.Embedded;

/// <summary>In what form a grain method promises its result.</summary>
internal enum PromiseKind
{
    None,
    Task,
    ValueTask,
}

/// <summary>Reads what a grain method returns.</summary>
internal static class GrainMethodResult
{
    /// <summary>The form of the promise and the type of the result.</summary>
    /// <exception cref="GeoConfigurationException">The method returns something that is no promise.</exception>
    public static (PromiseKind Kind, Type Result) Of(MethodInfo method)
    {
        var type = method.ReturnType;
        var definition = type.IsGenericType ? type.GetGenericTypeDefinition() : null;
        return type == typeof(Task) ? (PromiseKind.Task, typeof(Nothing))
            : type == typeof(ValueTask) ? (PromiseKind.ValueTask, typeof(Nothing))
            : definition == typeof(Task<>) ? (PromiseKind.Task, ResultOf(method, type))
            : definition == typeof(ValueTask<>) ? (PromiseKind.ValueTask, ResultOf(method, type))
            : type == typeof(void) && method.IsDefined(typeof(OneWayAttribute)) ? (PromiseKind.None, typeof(Nothing))
            : throw new GeoConfigurationException(
                $"The grain method {method.DeclaringType}.{method.Name} returns {type.Name}; return Task, Task<T>, ValueTask or "
                + "ValueTask<T> (void only with [OneWay]).");
    }

    private static Type ResultOf(MethodInfo method, Type promise)
    {
        var result = promise.GetGenericArguments()[0];
        return result != typeof(object)
            ? result
            : throw new GeoConfigurationException(
                $"The grain method {method.DeclaringType}.{method.Name} returns an object, which names no type to read; return a type.");
    }
}
