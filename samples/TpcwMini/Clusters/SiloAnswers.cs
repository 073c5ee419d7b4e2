using Geo.Directory;
using TpcwMini.Hosting;

namespace TpcwMini.Clusters;

/// <summary>Answers the parent's questions: what an administrator would type, asked of this silo.</summary>
internal static class SiloAnswers
{
    public static async Task<IReadOnlyList<string>> AnswerAsync(SiloHost silo, ClusterSettings settings, SiloQuestion question)
    {
        var cluster = new ClusterId(question.Cluster is "" ? settings.Cluster : question.Cluster);
        try
        {
            return question.Kind switch
            {
                SiloQuestionKind.Links => [.. settings.Others.Keys.Where(silo.IsLinkedTo)],
                SiloQuestionKind.Add => Refusal(await silo.Configuration.AddAsync(cluster, [])),
                SiloQuestionKind.Remove => Refusal(await silo.Configuration.RemoveAsync(cluster)),
                _ => Stage(await silo.Configuration.DescribeAsync(), cluster),
            };
        }
        catch (GeoUnavailableException error)
        {
            return [error.Message];
        }
    }

    private static IReadOnlyList<string> Refusal(ConfigurationChange change) => change.IsMade ? [] : [change.Message];

    private static IReadOnlyList<string> Stage(ConfigurationView view, ClusterId cluster)
    {
        var stage = view.Clusters.FirstOrDefault(one => one.Cluster == cluster)?.Stage ?? "outside";
        return view.Waiting is { } waiting ? [stage, waiting] : [stage];
    }
}
