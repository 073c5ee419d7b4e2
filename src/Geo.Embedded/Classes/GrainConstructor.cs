using System.Linq.Expressions;
using System.Reflection;
using Microsoft.Extensions.DependencyInjection;

namespace Geo.Embedded;

/// <summary>Calls the constructor of a grain class with services and stored states.</summary>
internal sealed class GrainConstructor
{
    private readonly Type _type;
    private readonly ParameterInfo[] _parameters;
    private readonly Func<IServiceProvider, object?>?[] _services;
    private readonly ParameterInfo[] _required;
    private readonly Func<object?[], Grain> _construct;

    /// <exception cref="GeoConfigurationException">The class has no constructor to call.</exception>
    public GrainConstructor(Type type)
    {
        if (type.IsAbstract || type.IsGenericTypeDefinition)
        {
            throw new GeoConfigurationException($"Grain class {type.FullName} is abstract or generic; add a class that can be created.");
        }

        _type = type;
        var constructors = type.GetConstructors();
        var constructor = constructors.FirstOrDefault(c => c.IsDefined(typeof(ActivatorUtilitiesConstructorAttribute)))
            ?? (constructors.Length == 1 ? constructors[0] : null)
            ?? throw new GeoConfigurationException(
                $"Grain class {type.FullName} has {constructors.Length} public constructors; leave one, or mark one with "
                + "[ActivatorUtilitiesConstructor].");
        _parameters = constructor.GetParameters();
        States = [.. _parameters.Where(IsState).Select(StateOf)];
        _required =
            [.. _parameters.Where(p => !IsState(p) && !p.HasDefaultValue && !p.IsDefined(typeof(FromKeyedServicesAttribute)))];
        _services = [.. _parameters.Select(p => IsState(p) ? null : ServiceOf(p))];
        var arguments = Expression.Parameter(typeof(object?[]), "arguments");
        _construct = Expression.Lambda<Func<object?[], Grain>>(
            Expression.New(constructor, _parameters.Select((p, i) =>
                Expression.Convert(Expression.ArrayIndex(arguments, Expression.Constant(i)), p.ParameterType))),
            arguments).Compile();
    }

    /// <summary>The states that parameters ask for, in their order.</summary>
    public IReadOnlyList<StateSlot> States { get; }

    /// <summary>Makes a grain.</summary>
    /// <param name="services">Gives the services; only called when there is a parameter for one.</param>
    /// <param name="states">The states, at least those of <see cref="States"/>.</param>
    public Grain Invoke(Func<IServiceProvider> services, IReadOnlyList<IStorage> states)
    {
        var arguments = _parameters.Length == 0 ? [] : new object?[_parameters.Length];
        for (int i = 0, state = 0; i < arguments.Length; i++)
        {
            arguments[i] = _services[i] is { } service ? service(services()) : states[state++];
        }

        return _construct(arguments);
    }

    /// <summary>Checks that the services asked for are there.</summary>
    /// <exception cref="GeoConfigurationException">One is not.</exception>
    public void CheckServices(IServiceProvider services)
    {
        var known = services.GetService<IServiceProviderIsService>();
        foreach (var parameter in _required)
        {
            if (known is not null && !known.IsService(parameter.ParameterType))
            {
                throw new GeoConfigurationException(
                    $"Grain class {_type.FullName} asks for a {parameter.ParameterType} ('{parameter.Name}') that is not among the host's "
                    + "services; add it.");
            }
        }
    }

    private static bool IsState(ParameterInfo parameter) => parameter.IsDefined(typeof(PersistentStateAttribute));

    private static Func<IServiceProvider, object?> ServiceOf(ParameterInfo parameter)
    {
        var type = parameter.ParameterType;
        if (parameter.GetCustomAttribute<FromKeyedServicesAttribute>() is { } keyed)
        {
            return services => services.GetRequiredKeyedService(type, keyed.Key);
        }

        if (parameter.HasDefaultValue)
        {
            var otherwise = parameter.DefaultValue;
            return services => services.GetService(type) ?? otherwise;
        }

        return services => services.GetRequiredService(type);
    }

    private StateSlot StateOf(ParameterInfo parameter)
    {
        var type = parameter.ParameterType;
        var asked = parameter.GetCustomAttribute<PersistentStateAttribute>()!;
        return type.IsGenericType && type.GetGenericTypeDefinition() == typeof(IPersistentState<>)
            ? new StateSlot(asked.StateName, asked.StorageName ?? GeoStorage.Default, type.GetGenericArguments()[0])
            : throw new GeoConfigurationException(
                $"Grain class {_type.FullName} has [PersistentState] on '{parameter.Name}', which is a {type}; make it an "
                + "IPersistentState<T>.");
    }
}
