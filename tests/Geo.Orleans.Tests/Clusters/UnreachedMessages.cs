using Microsoft.Extensions.DependencyInjection;

namespace Geo.Orleans.Tests.Clusters;

/// <summary>Silos as of an Orleans whose messages Geo cannot reach: the lease is a call filter's.</summary>
internal static class UnreachedMessages
{
    public static void Use(IServiceCollection services)
    {
        services.Remove(services.Single(service => service.ServiceType == typeof(IGrainContextActivatorProvider)
            && service.ImplementationFactory?.Method.Module.Assembly == typeof(LeaseFilter).Assembly));
        services.AddSingleton<IIncomingGrainCallFilter, LeaseFilter>();
    }
}
