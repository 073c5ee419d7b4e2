using System.Reflection;
using Orleans.GrainDirectory;

namespace Geo.Orleans;

/// <summary>
/// Features of Orleans that end at the border of a cluster, found by the names of their types: the packages that bring them need not be
/// there.
/// </summary>
internal static class LocalFeatures
{
    private const string TransactionSuppressed = "Suppress";

    /// <summary>
    /// What a single-instance class uses that would not follow its instance to another cluster; each with what to do instead.
    /// </summary>
    public static IEnumerable<string> FaultsOf(Type grainClass)
    {
        if (Implements(grainClass, "Orleans.IRemindable"))
        {
            yield return "is [GlobalSingleInstance] and implements IRemindable, but reminders belong to the cluster in which they were "
                + "registered: "
                + "the instance could not find or cancel them after it has moved. Let an ordinary grain have the reminder, and call this "
                + "one.";
        }

        if (grainClass.GetCustomAttributes().Any(attribute => Is(attribute.GetType(), "Orleans.ImplicitStreamSubscriptionAttribute")))
        {
            yield return "is [GlobalSingleInstance] and subscribed to streams by an attribute, but each cluster has streams of its own: "
                + "what several "
                + "of them deliver to one instance is lost, for each expects the instance to follow its own sequence. Let an ordinary "
                + "grain with the attribute hear the stream in each cluster, and call this one.";
        }

        if (Implements(grainClass, "Orleans.DurableJobs.IDurableJobHandler"))
        {
            yield return "is [GlobalSingleInstance] and implements IDurableJobHandler, but jobs belong to the cluster in which they were "
                + "scheduled: "
                + "the instance could not find or cancel them after it has moved. Let an ordinary grain schedule the job, and call this "
                + "one.";
        }

        foreach (var method in grainClass.GetInterfaces().SelectMany(type => type.GetMethods()).Where(IsTransactional))
        {
            yield return $"is [GlobalSingleInstance], and its method {method.DeclaringType?.Name}.{method.Name} is a [Transaction], but "
                + "a transaction "
                + "does not reach from one cluster into another. Keep the transaction in ordinary grains, and call one of them from this "
                + "grain.";
        }

        foreach (var parameter in grainClass.GetConstructors().SelectMany(constructor => constructor.GetParameters()))
        {
            if (Carries(parameter, "Orleans.Transactions.Abstractions"))
            {
                yield return $"is [GlobalSingleInstance] and keeps '{parameter.Name}' as transactional state, which is each cluster's own. "
                    + "Keep it in an ordinary grain, and call that one from this grain.";
            }
            else if (Carries(parameter, "Orleans.Journaling"))
            {
                yield return $"is [GlobalSingleInstance] and keeps '{parameter.Name}' as durable state of Orleans.Journaling, which is "
                    + "each cluster's own. "
                    + "Keep it with IPersistentState in a shared grain storage, or as a JournaledGrain with [BatchedCas].";
            }
        }

        if (grainClass.GetCustomAttribute<GrainDirectoryAttribute>() is { } directory)
        {
            yield return $"is [GlobalSingleInstance] and names the grain directory '{directory.GrainDirectoryName}', which knows nothing "
                + "of other clusters. Keep one of the two attributes.";
        }
    }

    private static bool Implements(Type grainClass, string name) => grainClass.GetInterfaces().Any(type => type.FullName == name);

    private static bool Is(Type? type, string name) => type is not null && (type.FullName == name || Is(type.BaseType, name));

    private static bool Carries(ParameterInfo parameter, string @namespace) =>
        parameter.ParameterType.Namespace == @namespace
        || parameter.GetCustomAttributes().Any(attribute => attribute.GetType().Namespace == @namespace);

    private static bool IsTransactional(MethodInfo method) => method.CustomAttributes.Any(attribute =>
        attribute.AttributeType.FullName == "Orleans.TransactionAttribute"
        && attribute.ConstructorArguments is [{ ArgumentType: var type, Value: { } requirement }]
        && Enum.GetName(type, requirement) != TransactionSuppressed);
}
