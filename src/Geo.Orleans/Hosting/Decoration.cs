using Microsoft.Extensions.DependencyInjection;

namespace Geo.Orleans;

/// <summary>Puts services of Geo over those that are registered already.</summary>
internal static class Decoration
{
    /// <summary>Registers a service over the one that was registered last.</summary>
    public static void Decorate<TService>(this IServiceCollection services, Func<TService, IServiceProvider, TService> over)
        where TService : class
    {
        var inner = services.Last(service => service.ServiceType == typeof(TService) && !service.IsKeyedService);
        services.Add(
            ServiceDescriptor.Describe(typeof(TService), provider => over((TService)inner.Create(provider)!, provider), inner.Lifetime));
    }

    /// <summary>Makes what a registration that another one has replaced would have made.</summary>
    public static object? Create(this ServiceDescriptor service, IServiceProvider provider) =>
        service.ImplementationInstance ?? service.ImplementationFactory?.Invoke(provider)
        ?? (service.ImplementationType is { } type ? ActivatorUtilities.CreateInstance(provider, type) : null);
}
