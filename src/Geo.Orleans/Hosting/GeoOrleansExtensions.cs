using Geo.Consistency.Lattices;
using Geo.Directory;
using Geo.Messaging;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Orleans.Configuration;
using Orleans.EventSourcing;
using Orleans.GrainReferences;
using Orleans.Metadata;
using Orleans.Runtime.Hosting;
using Orleans.Serialization;
using Orleans.Serialization.Serializers;
using Orleans.Timers;

namespace Geo.Orleans;

/// <summary>Makes Orleans clusters act as one service.</summary>
public static class GeoOrleansExtensions
{
    /// <summary>
    /// Joins this silo's cluster with other clusters. Grains whose class carries an attribute of Geo are kept as it says; all others are
    /// untouched. Settings come from the configuration section <c>Geo</c> and from <see cref="GeoSiloBuilder.Configure"/>; what is wrong
    /// with them ends the silo's start with a <see cref="GeoConfigurationException"/>.
    /// </summary>
    public static ISiloBuilder UseGeo(this ISiloBuilder builder, Action<GeoSiloBuilder> configure)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(configure);
        var services = builder.Services;
        var section = new GeoSection(builder.Configuration.GetSection(GeoOrleansOptions.Section));
        services.Configure<GeoOrleansOptions>(section.BindRest);
        var geo = new GeoSiloBuilder(services, section);
        configure(geo);

        services.AddSingleton(geo);
        services.AddSingleton(provider => new SiloStores(geo, provider));
        services.AddSingleton<IConfigurationValidator, GeoOrleansValidator>();
        AddFeatureChecks(services);
        services.TryAddSingleton<IHostNames, DnsHostNames>();
        services.AddSingleton<EntryPoints>();
        services.AddSingleton<SharedStores>();
        services.AddSingleton<GeoSilo>();
        services.AddSingleton<ISiloAccess>(provider => provider.GetRequiredService<GeoSilo>());
        services.AddSingleton<StatusReader>();
        services.AddSingleton<IGeoStatus>(provider => provider.GetRequiredService<StatusReader>());
        services.AddSingleton<IGeoSilo>(provider => provider.GetRequiredService<GeoSilo>());
        services.AddSingleton<ILifecycleParticipant<ISiloLifecycle>>(provider => provider.GetRequiredService<GeoSilo>());
        AddDirectory(builder);
        services.AddSingleton<CallReceiver>();
        services.AddSingleton<ICallCarrier, SiloCallCarrier>();
        AddCalls(services, provider =>
        {
            var options = provider.GetRequiredService<IOptions<GeoOrleansOptions>>().Value;
            return new CallLimits(
                options.MaxKnownRoutes, new CallFollowingLimits(options.MaxRoutingAttempts, options.UnreachableAfter), options.CallTimeout,
                options.MaxCallBytes);
        }, provider => new ClusterId(provider.GetRequiredService<IOptions<GeoOrleansOptions>>().Value.ClusterId), hasReplicas: true);
        builder.AddGrainExtension<IGeoTouch, GeoTouch>();
        builder.AddGrainExtension<IGeoReadFeed, GeoReadFeed>();
        services.AddSingleton<ReadReplicas>();
        AddJournals(services);
        services.AddSingleton<GeoLattices>();
        services.AddSingleton<ILatticeSessions>(provider => provider.GetRequiredService<GeoLattices>());
        return builder;
    }

    /// <summary>
    /// Lets this client call single-instance grains wherever their instance is: calls to other clusters go through a silo of the cluster
    /// that the client is connected to. Settings come from the configuration section <c>GeoClient</c> and from
    /// <paramref name="configure"/>.
    /// </summary>
    public static IClientBuilder UseGeo(this IClientBuilder builder, Action<GeoClientOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        var services = builder.Services;
        services.Configure<GeoClientOptions>(builder.Configuration.GetSection(GeoClientOptions.Section).BindKnown);
        if (configure is not null)
        {
            services.Configure(configure);
        }

        services.AddSingleton<IConfigurationValidator, GeoClientValidator>();
        services.AddSingleton<ICallCarrier, ClientCallCarrier>();
        AddCalls(services, provider =>
        {
            var options = provider.GetRequiredService<IOptions<GeoClientOptions>>().Value;
            return new CallLimits(
                options.MaxKnownRoutes, new CallFollowingLimits(options.MaxRoutingAttempts),
                provider.GetRequiredService<IOptions<ClientMessagingOptions>>().Value.ResponseTimeout, options.MaxCallBytes);
        }, _ => default);
        return builder;
    }

    private static void AddDirectory(ISiloBuilder builder)
    {
        var services = builder.Services;
        services.AddSingleton<ReadReplicaClasses>();
        services.AddSingleton<IGrainPropertiesProvider, GlobalSingleProperties>();
        AddLease(services);
        services.AddSingleton<TrackedActivations>();
        services.AddSingleton<IConfigureGrainContextProvider>(provider => provider.GetRequiredService<TrackedActivations>());
        services.AddSingleton<Arrivals>();
        services.AddScoped<Departure>();
        services.AddSingleton<PlacementFilters>();
        services.AddSingleton<SiblingServices>();
        services.AddSingleton<OrleansSiblings>();
        services.AddSingleton<OrleansMembership>();
        services.AddGrainService<GeoSiloService>();
        builder.AddGrainDirectory(GeoGrainDirectory.Name, (provider, _) => ActivatorUtilities.CreateInstance<GeoGrainDirectory>(provider));
    }

    private static void AddFeatureChecks(IServiceCollection services)
    {
        services.AddSingleton<GrainStorages>();
        services.AddSingleton<IConfigurationValidator, FeatureCheck>();
        services.Decorate<IPersistentStateFactory>((states, provider) => new CheckedStateFactory(states, provider));
    }

    private static void AddLease(IServiceCollection services)
    {
        services.AddSingleton(provider =>
        {
            var options = provider.GetRequiredService<IOptions<GeoOrleansOptions>>().Value;
            var stores = provider.GetRequiredService<SiloStores>();
            return new ConfigurationSource(
                new ClusterId(options.ClusterId), options.Clusters, provider.GetRequiredService<GeoSiloBuilder>().Directory,
                options.ConfigurationStore is { } name ? stores.Named(name) : null, stores.Rows,
                address => PeerAddress.Parse(address), provider.GetRequiredService<TimeProvider>(), Random.Shared,
                provider.GetRequiredService<ILogger<ClusterSilo>>(),
                cluster => StoreMajority.Needs(stores.KeptTogether, cluster, provider.GetRequiredService<GeoSilo>().Messenger));
        });
        services.AddSingleton(provider =>
        {
            var options = provider.GetRequiredService<IOptions<GeoOrleansOptions>>().Value;
            return new ClusterSilo(
                new ClusterSiloOptions
                {
                    IsLive = options.ConfigurationStore is not null,
                    Clusters = [options.ClusterId, .. options.Clusters.Keys],
                    LeaseDuration = options.LeaseDuration,
                },
                provider.GetRequiredService<SiloStores>().Rows,
                provider.GetRequiredService<OrleansMembership>(),
                provider.GetRequiredService<OrleansSiblings>(),
                new OrleansInstances(provider.GetRequiredService<TrackedActivations>()),
                provider.GetRequiredService<TimeProvider>(),
                provider.GetRequiredService<ILogger<ClusterSilo>>(),
                CoarseTime.For(provider.GetRequiredService<TimeProvider>(), options.LeaseDuration));
        });
        services.AddSingleton(provider => provider.GetRequiredService<ClusterSilo>().Guard);
        services.AddSingleton<TenancyGuards>();
        services.Decorate<ITimerRegistry>((timers, provider) => new LeasedTimers(timers, provider));
        if (ActivationSeam.Reachable is not { } seam)
        {
            services.AddSingleton<IIncomingGrainCallFilter, LeaseFilter>();
            return;
        }

        // Before Orleans' own provider, which serves every type and is asked in turn.
        services.AddSingleton<IGeneralizedCodec, WatchedRequestCodec>();
        services.Insert(0, ServiceDescriptor.Singleton<IGrainContextActivatorProvider>(
            provider => ActivatorUtilities.CreateInstance<WatchedContexts>(provider, seam)));
    }

    private static void AddJournals(IServiceCollection services)
    {
        if (ReaderSeam.Reachable is { } readers)
        {
            services.AddSingleton<IConfigureGrainTypeComponents>(readers);
        }

        services.AddSingleton(provider => new OrleansGeoSerializer(
            provider.GetRequiredService<Serializer>(),
            new ClusterId(provider.GetRequiredService<IOptions<GeoOrleansOptions>>().Value.ClusterId)));
        services.AddSingleton<GeoJournals>();
        services.TryAddSingleton<Factory<IGrainContext, ILogConsistencyProtocolServices>>(
            provider => grain => ActivatorUtilities.CreateInstance<JournalProtocolServices>(provider, grain));
        services.AddKeyedSingleton<ILogViewAdaptorFactory>(GeoJournalFactory.BatchedCas, (provider, _) => new GeoJournalFactory(
            provider.GetRequiredService<GeoJournals>(),
            new GrainDeclaration(Instancing.ClusterLocal, SingleInstanceMode.Optimistic, ViewProtocol.BatchedCas, null, default)));

        // Asked for whenever a journaled grain names no provider. What the application set as its default before stays the default.
        var byDefault = services.LastOrDefault(service => service.ServiceType == typeof(ILogViewAdaptorFactory) && !service.IsKeyedService);
        services.AddSingleton(provider => new GeoJournalFactory(provider.GetRequiredService<GeoJournals>()));
        services.AddTransient<ILogViewAdaptorFactory>(provider =>
            provider.GetRequiredService<IGrainContextAccessor>().GrainContext?.GrainInstance is { } grain
            && JournalDeclarations.Of(grain.GetType()) is not null
                ? provider.GetRequiredService<GeoJournalFactory>()
                : (ILogViewAdaptorFactory)byDefault?.Create(provider)!);
    }

    private static void AddCalls(
        IServiceCollection services, Func<IServiceProvider, CallLimits> limits, Func<IServiceProvider, ClusterId> home,
        bool hasReplicas = false)
    {
        services.TryAddSingleton(TimeProvider.System);
        services.TryAddSingleton<GlobalSingleGrains>();
        services.TryAddSingleton<PartialGrains>();
        services.Configure<ExceptionSerializationOptions>(options =>
        {
            var others = options.SupportedExceptionTypeFilter;
            options.SupportedExceptionTypeFilter = type => type.Assembly == typeof(GeoException).Assembly || others(type);
        });

        services.AddSingleton(limits);
        services.AddSingleton<InterfaceVersions>();
        services.AddSingleton<CallSender>();

        // First, so that Orleans' own provider, which serves every type, comes after.
        services.Insert(0, ServiceDescriptor.Singleton<IGrainReferenceActivatorProvider>(provider => new GeoReferenceProvider(
            provider, provider.GetRequiredService<GlobalSingleGrains>(), provider.GetRequiredService<PartialGrains>(),
            provider.GetRequiredService<GrainPropertiesResolver>(), () => home(provider))));
        services.AddSingleton(provider => new GeoReferenceRuntime(
            provider.GetRequiredService<GlobalSingleGrains>(),
            new KnownPlaces<ClusterId>(provider.GetRequiredService<CallLimits>().MaxRoutes),
            provider.GetRequiredService<IGrainReferenceRuntime>(),
            provider.GetRequiredService<CallSender>(),
            provider.GetRequiredService<IGrainFactory>(),
            provider.GetRequiredService<TimeProvider>(),
            provider.GetRequiredService<CallLimits>(),
            hasReplicas ? provider.GetRequiredService<ReadReplicas> : null));
        services.AddSingleton<AbroadReferenceRuntime>();
        services.AddSingleton<HolderReferenceRuntime>();
        services.AddSingleton<SubscriptionReferenceRuntime>();
    }
}
